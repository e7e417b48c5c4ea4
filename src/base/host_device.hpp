#pragma once
/// Marks functions that compile for the host and, under nvcc, for the device.

#ifdef __CUDACC__
#define LIMBER_HOST_DEVICE __host__ __device__
#else
#define LIMBER_HOST_DEVICE
#endif
