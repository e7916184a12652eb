#include "store/hdf5/conversion.hpp"

namespace tessera::store {

namespace {

H5T_conv_ret_t judge_change(H5T_conv_except_t change, hid_t from, hid_t to, void*, void*,
                            void* changed) noexcept {
  if (change == H5T_CONV_EXCEPT_PRECISION) return H5T_CONV_UNHANDLED;
  const bool floats = H5Tget_class(from) == H5T_FLOAT && H5Tget_class(to) == H5T_FLOAT;
  if (floats) return H5T_CONV_UNHANDLED;
  *static_cast<bool*>(changed) = true;
  return H5T_CONV_ABORT;
}

}  // namespace

Handle strict_transfer(const CheckedCall& h5, bool& changed) {
  Handle transfer(h5("H5Pcreate", H5Pcreate, H5P_DATASET_XFER));
  h5("H5Pset_type_conv_cb", H5Pset_type_conv_cb, transfer.id(), judge_change,
     static_cast<void*>(&changed));
  return transfer;
}

}  // namespace tessera::store
