// Internal to src/api: between the structs of halfbyte.h and the values of halfbyte.hpp, and from errors and exceptions to statuses.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "halfbyte/halfbyte.h"
#include "halfbyte/halfbyte.hpp"

namespace halfbyte::c_abi {

constexpr size_t kMostBindings = 16;

inline std::string& last_error() {
  thread_local std::string text;
  return text;
}

inline halfbyte_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return HALFBYTE_INVALID_ARGUMENT;
    case ErrorCode::parse: return HALFBYTE_PARSE;
    case ErrorCode::not_found: return HALFBYTE_NOT_FOUND;
    case ErrorCode::io: return HALFBYTE_IO;
    case ErrorCode::unsupported: return HALFBYTE_UNSUPPORTED;
    case ErrorCode::not_eligible: return HALFBYTE_NOT_ELIGIBLE;
    case ErrorCode::limit: return HALFBYTE_LIMIT;
    case ErrorCode::out_of_memory: return HALFBYTE_OUT_OF_MEMORY;
    case ErrorCode::device_lost: return HALFBYTE_DEVICE_LOST;
    case ErrorCode::gpu: return HALFBYTE_GPU;
    case ErrorCode::timeout: return HALFBYTE_TIMEOUT;
    case ErrorCode::internal: return HALFBYTE_INTERNAL;
  }
  return HALFBYTE_INTERNAL;
}

inline halfbyte_status report(halfbyte_status status, std::string_view message) noexcept {
  try {
    last_error() = message;
  } catch (...) {
    last_error().clear();
  }
  return status;
}

// Every function of the ABI runs in here: an Error or an exception becomes a status and a message.
template <class Body>
inline halfbyte_status guarded(Body body) noexcept {
  try {
    const Result<void> result = body();
    if (result) return HALFBYTE_OK;
    return report(status_of(result.error().code), result.error().to_string());
  } catch (const std::bad_alloc&) {
    return report(HALFBYTE_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& e) {
    return report(HALFBYTE_INTERNAL, e.what());
  } catch (...) {
    return report(HALFBYTE_INTERNAL, "an exception of an unknown type");
  }
}

inline std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

inline Result<void> not_null(const void* pointer, std::string_view what) {
  if (pointer != nullptr) return {};
  return wrong(std::format("{} is null", what));
}

inline Result<void> array(const void* data, size_t count, std::string_view what) {
  if (count == 0 || data != nullptr) return {};
  return wrong(std::format("{} is null, but its count is {}", what, count));
}

inline std::string text(const char* given) { return given == nullptr ? std::string() : std::string(given); }

// What the caller's struct holds of ours; the rest is zero. A struct_size of 0 or less than itself is an error.
template <class T>
inline Result<T> sized(const T* given, std::string_view what) {
  HB_CHECK(not_null(given, what));
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size)
    return wrong(std::format("struct_size of {} is {}, it must be sizeof(the struct); see HALFBYTE_INIT", what, size));
  T copy{};
  std::memcpy(&copy, given, std::min(size, sizeof copy));
  return copy;
}

// Writes as much as the caller's struct has room for; struct_size stays the caller's.
template <class T>
inline Result<void> give(T value, T* out, std::string_view what) {
  HB_CHECK(sized(out, what));
  size_t size = 0;
  std::memcpy(&size, out, sizeof size);
  value.struct_size = size;
  std::memcpy(out, &value, std::min(size, sizeof value));
  return {};
}

constexpr std::array kDTypes{DType::float32, DType::float16, DType::uint8, DType::int8,
                             DType::int32,   DType::uint32,  DType::int64, DType::bool8};

inline halfbyte_dtype c_dtype(DType dtype) {
  return static_cast<halfbyte_dtype>(std::ranges::find(kDTypes, dtype) - kDTypes.begin());
}

inline Result<std::set<std::string, std::less<>>> keys(const char* const* list, size_t count, std::string_view what) {
  HB_CHECK(array(list, count, what));
  std::set<std::string, std::less<>> result;
  for (size_t i = 0; i < count; ++i) {
    HB_CHECK(not_null(list[i], std::format("{}[{}]", what, i)));
    result.emplace(list[i]);
  }
  return result;
}

inline Result<void> add_input(const halfbyte_tensor_desc& input, Problem& problem) {
  HB_CHECK(not_null(input.key, "the key of an input"));
  if (static_cast<uint32_t>(input.dtype) >= kDTypes.size())
    return wrong(
        std::format("the input {} has the dtype {}, which does not exist", input.key, static_cast<int>(input.dtype)));
  HB_CHECK(array(input.shape, input.rank, std::format("the shape of {}", input.key)));
  TensorDesc desc{kDTypes[static_cast<size_t>(input.dtype)], Shape(input.shape, input.shape + input.rank)};
  if (!problem.inputs.emplace(input.key, std::move(desc)).second)
    return wrong(std::format("the input {} is given twice", input.key));
  return {};
}

struct FullProblem {
  Problem problem;
  PrepareOptions options;
};

inline Result<FullProblem> convert(const halfbyte_problem* given) {
  HB_TRY(const halfbyte_problem p, sized(given, "the problem"));
  FullProblem result;
  result.problem.id = text(p.id);
  HB_CHECK(array(p.attributes, p.attribute_count, "attributes"));
  HB_CHECK(array(p.inputs, p.input_count, "inputs"));
  for (const halfbyte_attribute& a : std::span(p.attributes, p.attribute_count)) {
    HB_CHECK(not_null(a.name, "the name of an attribute"));
    result.problem.attrs[a.name] = a.text == nullptr ? AttrValue(a.number) : AttrValue(std::string(a.text));
  }
  for (const halfbyte_tensor_desc& input : std::span(p.inputs, p.input_count))
    HB_CHECK(add_input(input, result.problem));
  HB_TRY(result.problem.constant, keys(p.constant, p.constant_count, "constant"));
  HB_TRY(result.options.dropped, keys(p.dropped, p.dropped_count, "dropped"));
  result.options.variant = text(p.variant);
  return result;
}

inline Result<DeviceOptions> convert(const halfbyte_device_options& given) {
  DeviceOptions options;
  options.adapter = text(given.adapter);
  options.cache_folder = text(given.cache_folder);
  options.program_cache = !given.no_program_cache;
  options.robustness = !given.no_robustness;
  HB_CHECK(array(given.limits, given.limit_count, "limits"));
  for (const halfbyte_limit& limit : std::span(given.limits, given.limit_count)) {
    HB_CHECK(not_null(limit.name, "the name of a limit"));
    options.limits[limit.name] = static_cast<double>(limit.value);
  }
  return options;
}

inline const CallTensor* find_tensor(const Call& call, std::string_view key) {
  const auto tensors = call.tensors();
  const auto found = std::ranges::find(tensors, key, &CallTensor::key);
  return found == tensors.end() ? nullptr : &*found;
}

inline Result<const CallTensor*> host_tensor(const Call& call, const halfbyte_host_tensor& given, bool output) {
  HB_CHECK(not_null(given.key, "the key of a tensor"));
  const CallTensor* tensor = find_tensor(call, given.key);
  if (tensor == nullptr || tensor->output != output)
    return wrong(std::format("{} is no {} of this call", given.key, output ? "output" : "input"));
  HB_CHECK(array(given.data, given.bytes, given.key));
  if (given.bytes != tensor->bytes)
    return wrong(std::format("{} {} has {} bytes, {} were given", given.key, to_string(tensor->desc.shape),
                             tensor->bytes, given.bytes));
  return tensor;
}

inline Result<void> run(const Call& call, std::span<const halfbyte_host_tensor> inputs,
                        std::span<const halfbyte_host_tensor> outputs) {
  HostTensors given;
  for (const halfbyte_host_tensor& input : inputs) {
    HB_TRY(const CallTensor* tensor, host_tensor(call, input, false));
    const auto* data = static_cast<const std::byte*>(input.data);
    given[input.key] = {tensor->desc.dtype, tensor->desc.shape, {data, data + input.bytes}};
  }
  for (const halfbyte_host_tensor& output : outputs) HB_CHECK(host_tensor(call, output, true));
  HB_TRY(const HostTensors results, call.run(given));
  for (const halfbyte_host_tensor& output : outputs) {
    const HostTensor& result = results.at(output.key);
    if (!result.data.empty()) std::memcpy(output.data, result.data.data(), result.data.size());
  }
  return {};
}

}  // namespace halfbyte::c_abi
