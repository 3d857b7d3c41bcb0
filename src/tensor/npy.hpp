// NumPy's .npy files, versions 1 to 3: little-endian, C order, the element types of DType.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tensor/host_tensor.hpp"

namespace halfbyte {

// A version 1.0 file, as np.save writes it.
std::vector<std::byte> encode_npy(const HostTensor& tensor);

// `file` is for messages only. Allocates no more than the bytes given. Errors: parse (not a .npy file, a broken header,
// fewer or more bytes than the header says), unsupported (big-endian, Fortran order with more than one dimension longer
// than 1, Python objects, float64 and other types that no kernel takes; the message says how to convert).
Result<HostTensor> decode_npy(std::span<const std::byte> bytes, const std::string& file);

}  // namespace halfbyte
