/* hello.cpp from C: y = x W for a 64 x 2 matrix W in 4 bits: column 0 is all 0.25, column 1 all -0.5. */
#include <halfbyte/halfbyte.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* what, halfbyte_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, halfbyte_status_name(status), halfbyte_last_error());
  return 1;
}

static int multiply(const halfbyte_device* device, const halfbyte_kernel* kernel) {
  const halfbyte_attribute attributes[] = {
      {"K", 64, NULL}, {"N", 2, NULL}, {"bits", 4, NULL}, {"block_size", 32, NULL}};
  const int64_t a_shape[] = {1, 64}, b_shape[] = {2, 2, 16}, scales_shape[] = {2, 2};
  const halfbyte_tensor_desc inputs[] = {{"aT", HALFBYTE_FLOAT32, 2, a_shape},
                                         {"bT", HALFBYTE_UINT8, 3, b_shape},
                                         {"scalesT", HALFBYTE_FLOAT32, 2, scales_shape}};
  halfbyte_problem problem = HALFBYTE_INIT(halfbyte_problem);
  problem.attributes = attributes;
  problem.attribute_count = 4;
  problem.inputs = inputs;
  problem.input_count = 3;
  halfbyte_call* call = NULL;
  halfbyte_status status = halfbyte_kernel_prepare(kernel, &problem, &call);
  if (status != HALFBYTE_OK) return failed("prepare", status);

  float x[64], scales[4] = {0.25f, 0.25f, 0.25f, 0.25f}, y[2] = {0, 0};
  unsigned char codes[64]; /* [N][K / block_size][bytes]; value = (code - 8) * scale */
  for (int i = 0; i < 64; ++i) x[i] = 1;
  memset(codes, 0x99, 32);
  memset(codes + 32, 0x66, 32);
  const halfbyte_host_tensor in[] = {
      {"aT", x, sizeof x}, {"bT", codes, sizeof codes}, {"scalesT", scales, sizeof scales}};
  const halfbyte_host_tensor out[] = {{"yT", y, sizeof y}};
  status = halfbyte_call_run(call, in, 3, out, 1);
  if (status == HALFBYTE_OK)
    printf("%s, %s: y = [%g, %g] (should be [16, -32])\n", halfbyte_device_name(device), halfbyte_call_variant(call),
           y[0], y[1]);
  halfbyte_call_release(call);
  return status == HALFBYTE_OK ? 0 : failed("run", status);
}

int main(void) {
  if (halfbyte_version() != HALFBYTE_VERSION_NUMBER) {
    fprintf(stderr, "the library is another version than its header\n");
    return 1;
  }
  halfbyte_device* device = NULL;
  halfbyte_status status = halfbyte_device_open(NULL, &device);
  if (status != HALFBYTE_OK) return failed("open", status);
  halfbyte_kernel* kernel = NULL;
  status = halfbyte_kernel_load(device, "com.microsoft.MatMulNBits", &kernel);
  const int result = status == HALFBYTE_OK ? multiply(device, kernel) : failed("load", status);
  halfbyte_kernel_release(kernel);
  halfbyte_device_release(device);
  return result;
}
