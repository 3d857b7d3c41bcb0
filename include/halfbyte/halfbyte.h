/* halfbyte for C, and for everything that can call C: the functions of halfbyte.hpp, with opaque handles.
 *
 * Errors: every function that can fail returns a halfbyte_status, HALFBYTE_OK (0) on success; halfbyte_last_error() then says what was
 * wrong, with the numbers. No exception leaves these functions, and on an error no output is written, unless said otherwise.
 * Handles: made by functions with an `out` parameter, released once with their *_release function, in any order (a kernel keeps its device alive,
 * a call its programs). Null is released without effect. Everything else may be called from any thread, as halfbyte.hpp says.
 * Text is UTF-8 and ends with 0. Text that a handle returns lives as long as the handle.
 * Structs with a struct_size: zero the struct and set it to sizeof(the struct); fields that an older caller does not know count as 0. Use
 * HALFBYTE_INIT: halfbyte_problem p = HALFBYTE_INIT(halfbyte_problem);
 */
#ifndef HALFBYTE_H
#define HALFBYTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <webgpu/webgpu.h>

#include "halfbyte/version.h"

#ifdef __cplusplus
extern "C" {
#define HALFBYTE_INIT(type) \
  type { sizeof(type) }
#else
#define HALFBYTE_INIT(type) {sizeof(type)}
#endif

typedef enum halfbyte_status {
  HALFBYTE_OK = 0,
  HALFBYTE_INVALID_ARGUMENT = 1, /* the caller's value is wrong: shape, attribute, option, null */
  HALFBYTE_PARSE = 2,            /* text is not in the format it claims */
  HALFBYTE_NOT_FOUND = 3,        /* a file, a variant, an adapter */
  HALFBYTE_IO = 4,
  HALFBYTE_UNSUPPORTED = 5,
  HALFBYTE_NOT_ELIGIBLE = 6, /* no variant can run this problem on this device */
  HALFBYTE_LIMIT = 7,        /* a device limit is exceeded */
  HALFBYTE_OUT_OF_MEMORY = 8,
  HALFBYTE_DEVICE_LOST = 9,
  HALFBYTE_GPU = 10, /* WebGPU reported an error */
  HALFBYTE_TIMEOUT = 11,
  HALFBYTE_INTERNAL = 12, /* a bug in halfbyte */
  HALFBYTE_STATUS_FORCE32 = 0x7fffffff
} halfbyte_status;

typedef enum halfbyte_dtype {
  HALFBYTE_FLOAT32 = 0,
  HALFBYTE_FLOAT16 = 1,
  HALFBYTE_UINT8 = 2,
  HALFBYTE_INT8 = 3,
  HALFBYTE_INT32 = 4,
  HALFBYTE_UINT32 = 5,
  HALFBYTE_INT64 = 6,
  HALFBYTE_BOOL8 = 7,
  HALFBYTE_DTYPE_FORCE32 = 0x7fffffff
} halfbyte_dtype;

typedef struct halfbyte_device halfbyte_device;
typedef struct halfbyte_kernel halfbyte_kernel;
typedef struct halfbyte_call halfbyte_call;
typedef struct halfbyte_warm_up halfbyte_warm_up;

/* HALFBYTE_VERSION_NUMBER of the library that was linked. */
uint32_t halfbyte_version(void);

/* "invalid_argument"; "unknown" for a number that is no status. */
const char* halfbyte_status_name(halfbyte_status status);

/* The message of the last function that failed on this thread, notes on lines of their own; "" when none has. Valid until the next one fails
 * on this thread. */
const char* halfbyte_last_error(void);

/* ---- device ---- */

typedef struct halfbyte_limit {
  const char* name; /* WebGPU's: "maxStorageBufferBindingSize" */
  uint64_t value;
} halfbyte_limit;

typedef struct halfbyte_device_options {
  size_t struct_size;
  const char* adapter;      /* part of its name, its index, or a backend; null or "": the best one */
  const char* cache_folder; /* for compiled programs; null or "": the user's cache folder */
  bool no_program_cache;
  bool no_robustness;           /* shaders without bounds checks */
  const halfbyte_limit* limits; /* lowered to these */
  size_t limit_count;
} halfbyte_device_options;

/* `options` may be null. */
halfbyte_status halfbyte_device_open(const halfbyte_device_options* options, halfbyte_device** out);
/* Takes a reference of its own; callbacks, features and limits of your device stay as they are. */
halfbyte_status halfbyte_device_adopt(WGPUDevice device, halfbyte_device** out);
void halfbyte_device_release(halfbyte_device* device);

WGPUDevice halfbyte_device_webgpu(const halfbyte_device* device); /* borrowed: valid while the handle lives */
const char* halfbyte_device_name(const halfbyte_device* device);
const char* halfbyte_device_profile_json(const halfbyte_device* device);

typedef struct halfbyte_statistics {
  size_t struct_size;
  uint64_t programs_compiled, program_hits;
  double compile_seconds;
  uint64_t cache_hits, cache_misses, cache_bytes_read, cache_bytes_written;
  uint64_t bind_groups, uniform_buffers, scratch_bytes;
  uint64_t prepack_runs, packed_weights, packed_bytes, dropped_bytes;
} halfbyte_statistics;

/* Fills as much of *out as its struct_size says. */
halfbyte_status halfbyte_device_statistics(const halfbyte_device* device, halfbyte_statistics* out);

/* As Device::forget and Device::drop_original; `freed` may be null. */
halfbyte_status halfbyte_device_forget(const halfbyte_device* device, WGPUBuffer buffer);
halfbyte_status halfbyte_device_drop_original(const halfbyte_device* device, WGPUBuffer buffer, uint64_t* freed);

/* ---- kernel ---- */

/* `package`: a name that is built in ("com.microsoft.MatMulNBits", unless $HALFBYTE_KERNELS names a folder of others), or a folder. */
halfbyte_status halfbyte_kernel_load(const halfbyte_device* device, const char* package, halfbyte_kernel** out);

typedef struct halfbyte_file {
  const char* name; /* "matmul.wgsl.jinja" */
  const char* text;
  size_t size; /* bytes of text */
} halfbyte_file;

/* A package from memory: manifest.json (its name is for messages) and every template that it names. */
halfbyte_status halfbyte_kernel_load_memory(const halfbyte_device* device, const halfbyte_file* manifest,
                                            const halfbyte_file* templates, size_t template_count,
                                            halfbyte_kernel** out);
void halfbyte_kernel_release(halfbyte_kernel* kernel);

typedef struct halfbyte_attribute {
  const char* name;
  double number;
  const char* text; /* when not null, the attribute is this text and not the number */
} halfbyte_attribute;

typedef struct halfbyte_tensor_desc {
  const char* key; /* the manifest's: "aT" */
  halfbyte_dtype dtype;
  uint32_t rank;
  const int64_t* shape;
} halfbyte_tensor_desc;

typedef struct halfbyte_problem {
  size_t struct_size;
  const char* id; /* for messages; may be null */
  const halfbyte_attribute* attributes;
  size_t attribute_count;
  const halfbyte_tensor_desc* inputs; /* the present ones */
  size_t input_count;
  const char* const* constant; /* keys of inputs whose contents never change */
  size_t constant_count;
  const char* const* dropped; /* keys of constant inputs whose originals are gone (halfbyte_device_drop_original) */
  size_t dropped_count;
  const char* variant; /* this one and no other; null or "": the best */
} halfbyte_problem;

halfbyte_status halfbyte_kernel_prepare(const halfbyte_kernel* kernel, const halfbyte_problem* problem,
                                        halfbyte_call** out);

/* Prepares many on a thread of its own. `problems` are pointers, so that their struct may grow. `out` may be null; releasing it stops
 * nothing. */
halfbyte_status halfbyte_kernel_warm_up(const halfbyte_kernel* kernel, const halfbyte_problem* const* problems,
                                        size_t count, halfbyte_warm_up** out);
size_t halfbyte_warm_up_done(const halfbyte_warm_up* warm_up); /* problems */
halfbyte_status halfbyte_warm_up_wait(const halfbyte_warm_up* warm_up);
void halfbyte_warm_up_release(halfbyte_warm_up* warm_up);

/* ---- call ---- */

void halfbyte_call_release(halfbyte_call* call);
const char* halfbyte_call_variant(const halfbyte_call* call);
bool halfbyte_call_ready(const halfbyte_call* call);
halfbyte_status halfbyte_call_wait(const halfbyte_call* call);

typedef struct halfbyte_tensor_info {
  size_t struct_size;
  halfbyte_tensor_desc desc; /* lives as long as the call */
  uint64_t bytes;
  bool output;
  bool packed; /* a constant input that is read once, to be packed, and not again */
} halfbyte_tensor_info;

size_t halfbyte_call_tensor_count(const halfbyte_call* call);
/* Inputs, then outputs: what record() wants, in the order that is fastest. Errors: invalid_argument (index). */
halfbyte_status halfbyte_call_tensor(const halfbyte_call* call, size_t index, halfbyte_tensor_info* out);

typedef struct halfbyte_binding {
  const char* key;
  WGPUBuffer buffer; /* usage Storage */
  uint64_t offset;   /* bytes, a multiple of minStorageBufferOffsetAlignment */
  uint64_t size;     /* bytes that may be bound from there; 0: what the tensor needs */
} halfbyte_binding;

/* As Call::record: with buffers seen before, no heap allocation and no WebGPU object. */
halfbyte_status halfbyte_call_record(const halfbyte_call* call, WGPUComputePassEncoder pass,
                                     const halfbyte_binding* bindings, size_t count);

typedef struct halfbyte_host_tensor {
  const char* key;
  void* data; /* inputs are not written */
  size_t bytes;
} halfbyte_host_tensor;

/* Uploads the inputs, computes, waits and writes the outputs. `bytes` must be exactly the tensor's. */
halfbyte_status halfbyte_call_run(const halfbyte_call* call, const halfbyte_host_tensor* inputs, size_t input_count,
                                  const halfbyte_host_tensor* outputs, size_t output_count);

#ifdef __cplusplus
}
#endif
#endif
