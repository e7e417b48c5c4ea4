#include "output/node_blocks.hpp"

namespace limber::output {
namespace {

class TupleType {
public:
  explicit TupleType(int components) {
    MPI_Type_contiguous(components, MPI_DOUBLE, &type_);
    MPI_Type_commit(&type_);
  }
  ~TupleType() { MPI_Type_free(&type_); }
  TupleType(const TupleType&) = delete;
  TupleType& operator=(const TupleType&) = delete;
  MPI_Datatype get() const { return type_; }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

using LayoutHandle = base::Handle<PetscLayout, PetscLayoutDestroy>;

} // namespace

NodeBlocks::NodeBlocks(MPI_Comm comm, const mesh::DistributedMesh& mesh)
    : global_nodes_(mesh.global_nodes), owned_nodes_(mesh.owned_nodes) {
  LayoutHandle layout;
  LIMBER_PETSC(PetscLayoutCreate(comm, layout.out()));
  LIMBER_PETSC(PetscLayoutSetSize(layout, base::to_petsc_int(global_nodes_)));
  LIMBER_PETSC(PetscLayoutSetUp(layout));
  PetscInt begin = 0, end = 0;
  LIMBER_PETSC(PetscLayoutGetRange(layout, &begin, &end));
  first_ = begin;
  count_ = static_cast<LocalIndex>(end - begin);

  std::vector<PetscInt> ordinals(static_cast<std::size_t>(owned_nodes_));
  for (std::size_t i = 0; i < ordinals.size(); ++i) ordinals[i] = base::to_petsc_int(mesh.ordinals[i]);
  LIMBER_PETSC(PetscSFCreate(comm, exchange_.out()));
  LIMBER_PETSC(PetscSFSetGraphLayout(exchange_, layout, owned_nodes_, nullptr, PETSC_OWN_POINTER, ordinals.data()));
}

std::vector<double> NodeBlocks::to_blocks(const std::vector<double>& values, int components) const {
  const TupleType tuple(components);
  std::vector<double> block(static_cast<std::size_t>(count_) * static_cast<std::size_t>(components));
  LIMBER_PETSC(PetscSFReduceBegin(exchange_, tuple.get(), values.data(), block.data(), MPI_REPLACE));
  LIMBER_PETSC(PetscSFReduceEnd(exchange_, tuple.get(), values.data(), block.data(), MPI_REPLACE));
  return block;
}

void NodeBlocks::from_blocks(const std::vector<double>& block, int components, std::vector<double>& values) const {
  const TupleType tuple(components);
  LIMBER_PETSC(PetscSFBcastBegin(exchange_, tuple.get(), block.data(), values.data(), MPI_REPLACE));
  LIMBER_PETSC(PetscSFBcastEnd(exchange_, tuple.get(), block.data(), values.data(), MPI_REPLACE));
}

} // namespace limber::output
