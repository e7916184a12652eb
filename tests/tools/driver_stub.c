// A libcuda.so.1 for benchmarks/gpu_check/memory_filler.py: a GPU of 3 GiB that grants memory until none is left.
#include <stddef.h>

static const size_t total = 3ULL << 30;
static size_t used = 3ULL << 20;

int cuInit(unsigned flags) {
  return flags == 0 ? 0 : 1;
}

int cuDeviceGet(int* device, int number) {
  *device = 7;
  return number == 0 ? 0 : 101;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &used;
  return device == 7 ? 0 : 101;
}

int cuCtxSetCurrent(void* context) {
  return context == &used ? 0 : 201;
}

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = total - used;
  *total_bytes = total;
  return 0;
}

int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (bytes > total - used) return 2;
  *address = 0x7f0000000000ULL + used;
  used += bytes;
  return 0;
}
