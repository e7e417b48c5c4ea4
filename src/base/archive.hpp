#pragma once
/// What a checkpoint can hold. Every stateful class has `void serialize(base::Archive&)`, one
/// function for both directions: when the archive reads, it assigns to the references it is given.

#include <cstdint>
#include <string>
#include <vector>

namespace limber::base {

class Archive {
public:
  virtual ~Archive() = default;
  virtual bool reading() const = 0;

  /// Values that are the same on every rank. Collective.
  virtual void value(const std::string& name, double& x) = 0;
  virtual void value(const std::string& name, std::int64_t& x) = 0;
  virtual void value(const std::string& name, std::string& x) = 0;
  virtual void value(const std::string& name, std::vector<double>& x) = 0;
  virtual void value(const std::string& name, std::vector<std::int64_t>& x) = 0;

  /// Values at nodes: `components` numbers for each owned node of this rank, in local order; values past
  /// the owned ones (ghosts) are left alone. Stored in the order of the input mesh, so that any number of ranks
  /// can read them. When reading, `x` must have its size already. Collective.
  virtual void node_field(const std::string& name, std::vector<double>& x, int components) = 0;
};

} // namespace limber::base
