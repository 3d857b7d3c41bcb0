#include "onnx/model.hpp"

#include <onnx/onnx_pb.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace halfbyte {
namespace {

using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::TensorProto;

constexpr uint64_t kProtobufLimit = std::numeric_limits<int>::max();
// Below this a tensor stays in the model: shapes and scalars are looked at by shape inference, which does not open
// files.
constexpr size_t kMinExternalBytes = 1024;
// Runtimes map the file; 64 keeps every tensor on a cache line without the padding of a page each.
constexpr size_t kExternalAlignment = 64;

// Calls visit(tensor) for every initializer and, with `attributes`, every tensor in an attribute; subgraphs too.
template <class Visit>
Result<void> each_tensor(GraphProto& graph, bool attributes, const Visit& visit) {
  for (auto& tensor : *graph.mutable_initializer()) HB_CHECK(visit(tensor));
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attributes && attribute.has_t()) HB_CHECK(visit(*attribute.mutable_t()));
      if (attribute.has_g()) HB_CHECK(each_tensor(*attribute.mutable_g(), attributes, visit));
      for (auto& sub : *attribute.mutable_graphs()) HB_CHECK(each_tensor(sub, attributes, visit));
    }
  return {};
}

struct ExternalEntry {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> parse_size(std::string_view text, const std::string& what) {
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return fail(ErrorCode::parse, std::format("{} is \"{}\", which is not a count of bytes", what, text));
  return value;
}

// A model is untrusted: it must not make us read a file outside its own folder.
bool leaves_folder(std::string_view location) {
  if (location.empty() || location.front() == '/' || location.contains('\\') || location.contains(':') ||
      location.contains('\0'))
    return true;
  while (!location.empty()) {
    const size_t slash = location.find('/');
    if (location.substr(0, slash) == "..") return true;
    location = slash == std::string_view::npos ? std::string_view{} : location.substr(slash + 1);
  }
  return false;
}

Result<ExternalEntry> external_entry(const TensorProto& tensor) {
  ExternalEntry entry;
  for (const auto& pair : tensor.external_data()) {
    const std::string what = std::format("external data {} of tensor '{}'", pair.key(), tensor.name());
    if (pair.key() == "location") entry.location = pair.value();
    if (pair.key() == "offset") {
      HB_TRY(entry.offset, parse_size(pair.value(), what));
    }
    if (pair.key() == "length") {
      HB_TRY(entry.length, parse_size(pair.value(), what));
    }
  }
  if (leaves_folder(entry.location))
    return fail(
        ErrorCode::unsupported,
        std::format("tensor '{}' has external data at \"{}\", but only a path inside the model's folder is read",
                    tensor.name(), entry.location));
  return entry;
}

Result<void> embed(TensorProto& tensor, const ExternalReader& read, const std::string& file) {
  if (tensor.data_location() != TensorProto::EXTERNAL) return {};
  HB_TRY(const ExternalEntry entry, external_entry(tensor));
  if (!read)
    return fail(ErrorCode::unsupported,
                std::format("tensor '{}' is kept outside the model, in \"{}\", which cannot be read here",
                            tensor.name(), entry.location),
                {file});
  HB_TRY(const auto bytes, read(entry.location, entry.offset, entry.length));
  if (entry.length && bytes.size() != *entry.length)
    return fail(ErrorCode::io, std::format("tensor '{}' needs {} bytes at offset {} of \"{}\", which has {} there",
                                           tensor.name(), *entry.length, entry.offset, entry.location, bytes.size()));
  tensor.set_raw_data(bytes.data(), bytes.size());
  tensor.clear_external_data();
  tensor.clear_data_location();
  return {};
}

// Takes the contents of large tensors out into one blob.
void move_out(TensorProto& tensor, const std::string& location, std::vector<std::byte>& blob) {
  if (!tensor.has_raw_data() || tensor.raw_data().size() < kMinExternalBytes) return;
  blob.resize((blob.size() + kExternalAlignment - 1) / kExternalAlignment * kExternalAlignment);
  const auto add = [&](const char* key, const std::string& value) {
    auto* pair = tensor.add_external_data();
    pair->set_key(key);
    pair->set_value(value);
  };
  const std::string& raw = tensor.raw_data();
  add("location", location);
  add("offset", std::to_string(blob.size()));
  add("length", std::to_string(raw.size()));
  const auto* begin = reinterpret_cast<const std::byte*>(raw.data());
  blob.insert(blob.end(), begin, begin + raw.size());
  tensor.clear_raw_data();
  tensor.set_data_location(TensorProto::EXTERNAL);
}

Result<std::vector<std::byte>> to_bytes(const ModelProto& proto) {
  const size_t size = proto.ByteSizeLong();
  if (size > kProtobufLimit)
    return fail(ErrorCode::limit, std::format("the model would have {} bytes, but an .onnx file ends at {}; keep the "
                                              "weights in an external data file",
                                              size, kProtobufLimit));
  std::vector<std::byte> bytes(size);
  if (!proto.SerializeToArray(bytes.data(), static_cast<int>(size)))
    return fail(ErrorCode::internal, "protobuf could not write the model");
  return bytes;
}

// A domain whose nodes the graph has, but whose operator set the model does not import.
std::optional<std::string> missing_opset(const GraphProto& graph, const std::set<std::string>& imported) {
  for (const auto& node : graph.node()) {
    if (!imported.contains(node.domain() == "ai.onnx" ? "" : node.domain())) return node.domain();
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g())
        if (auto missing = missing_opset(attribute.g(), imported)) return missing;
      for (const auto& sub : attribute.graphs())
        if (auto missing = missing_opset(sub, imported)) return missing;
    }
  }
  return std::nullopt;
}

// A file cut at the end of a field is valid protobuf; what every model must have tells. Empty: nothing is missing.
std::string what_is_missing(const ModelProto& proto) {
  if (!proto.has_graph() || proto.graph().node().empty()) return "it has no graph with nodes";
  if (proto.graph().output().empty()) return "its graph has no output";
  std::set<std::string> imported;
  for (const auto& opset : proto.opset_import()) imported.insert(opset.domain() == "ai.onnx" ? "" : opset.domain());
  if (imported.empty()) return "it imports no operator set";
  if (const auto domain = missing_opset(proto.graph(), imported))
    return std::format("it does not import the operator set \"{}\" of its nodes", *domain);
  return {};
}

}  // namespace

OnnxModel::OnnxModel(ModelProto proto) : proto_(std::make_unique<ModelProto>(std::move(proto))) {}
OnnxModel::OnnxModel(OnnxModel&&) noexcept = default;
OnnxModel& OnnxModel::operator=(OnnxModel&&) noexcept = default;
OnnxModel::~OnnxModel() = default;

Result<OnnxModel> OnnxModel::parse(std::span<const std::byte> bytes, const std::string& file,
                                   const ExternalReader& external) {
  if (bytes.empty()) return fail(ErrorCode::parse, "an ONNX model cannot have 0 bytes", {file});
  if (bytes.size() > kProtobufLimit)
    return fail(ErrorCode::limit,
                std::format("the file has {} bytes, but an .onnx file ends at {}", bytes.size(), kProtobufLimit),
                {file});
  OnnxModel model{ModelProto{}};
  if (!model.proto_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(
        ErrorCode::parse,
        std::format("not an ONNX model, or a truncated one: protobuf could not read its {} bytes", bytes.size()),
        {file});
  if (const std::string missing = what_is_missing(*model.proto_); !missing.empty())
    return fail(ErrorCode::parse, std::format("not an ONNX model, or a truncated one: {}", missing), {file});
  HB_CHECK(each_tensor(*model.proto_->mutable_graph(), true,
                       [&](TensorProto& tensor) { return embed(tensor, external, file); }));
  return model;
}

uint64_t OnnxModel::byte_size() const { return proto_->ByteSizeLong(); }

Result<ModelBytes> OnnxModel::serialize(const std::string& external_location) const {
  ModelBytes out;
  if (external_location.empty()) {
    HB_TRY(out.model, to_bytes(*proto_));
    return out;
  }
  if (leaves_folder(external_location))
    return fail(ErrorCode::invalid_argument,
                std::format("external data must lie in the model's folder, not at \"{}\"", external_location));
  ModelProto copy = *proto_;
  // Initializers only: runtimes differ on Constant nodes whose tensor lies outside.
  HB_CHECK(each_tensor(*copy.mutable_graph(), false, [&](TensorProto& tensor) -> Result<void> {
    move_out(tensor, external_location, out.external);
    return {};
  }));
  HB_TRY(out.model, to_bytes(copy));
  return out;
}

}  // namespace halfbyte
