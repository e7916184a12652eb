// The image that the shares of a pool are joined in, and its picture.
#pragma once

#include <string>

#include "pool/pool_folder.hpp"
#include "run/context.hpp"

namespace tessera::pool {

class JoinedImage {
 public:
  JoinedImage(comm::World& world, OpenPool& pool) : world_(world), pool_(pool) {}

  /// Collective. Joins the shares, unless another run has, and makes the picture. `generation`: of
  /// the lease under which this run does it.
  void make(run::Context& context, int generation);

  /// Collective. Makes the picture that the job asks for, the first time that it is called.
  void make_picture(run::Context& context);

  /// Called on the gather rank. Removes the files of shares and of earlier joiners, and nothing
  /// else that lies beside them.
  void remove_parts(int generation);

 private:
  std::string joined_file(int generation) const;
  job::RenderJob whole_into(const std::string& output) const;
  bool is_made();
  void join_shares(run::Context& context, int generation);
  bool merge_shares(const std::string& joined);

  comm::World& world_;
  OpenPool& pool_;
  bool picture_made_ = false;
};

}  // namespace tessera::pool
