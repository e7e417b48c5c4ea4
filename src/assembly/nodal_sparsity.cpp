#include "assembly/nodal_sparsity.hpp"

#include <algorithm>

namespace limber::assembly {

NodalSparsity nodal_sparsity(const mesh::DistributedMesh& mesh) {
  const auto rows = std::size_t(mesh.owned_nodes);
  std::vector<LocalIndex> begin(rows + 1, 0);
  for (LocalIndex v : mesh.cells)
    if (mesh.owns(v)) ++begin[std::size_t(v) + 1];
  for (std::size_t r = 0; r < rows; ++r) begin[r + 1] += begin[r];
  std::vector<LocalIndex> incident(static_cast<std::size_t>(begin[rows]));
  auto cursor = begin;
  for (LocalIndex c = 0; c < mesh.cell_count(); ++c)
    for (LocalIndex v : mesh.cell(c))
      if (mesh.owns(v)) incident[std::size_t(cursor[std::size_t(v)]++)] = c;

  NodalSparsity sparsity;
  sparsity.offsets.assign(rows + 1, 0);
  std::vector<LocalIndex> row;
  const auto by_number = [&](LocalIndex a, LocalIndex b) {
    return mesh.global_numbers[std::size_t(a)] < mesh.global_numbers[std::size_t(b)];
  };
  for (std::size_t r = 0; r < rows; ++r) {
    row.assign(1, LocalIndex(r));
    for (auto i = begin[r]; i < begin[r + 1]; ++i)
      for (LocalIndex v : mesh.cell(incident[std::size_t(i)])) row.push_back(v);
    std::sort(row.begin(), row.end(), by_number);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    sparsity.columns.insert(sparsity.columns.end(), row.begin(), row.end());
    sparsity.offsets[r + 1] = LocalIndex(sparsity.columns.size());
  }
  return sparsity;
}

LocalIndex NodalSparsity::find(const mesh::DistributedMesh& mesh, LocalIndex row, LocalIndex node) const {
  const auto begin = columns.begin() + offsets[std::size_t(row)], end = columns.begin() + offsets[std::size_t(row) + 1];
  const auto number = mesh.global_numbers[std::size_t(node)];
  const auto found = std::lower_bound(begin, end, number, [&](LocalIndex column, GlobalIndex n) {
    return mesh.global_numbers[std::size_t(column)] < n;
  });
  return LocalIndex(found - columns.begin());
}

} // namespace limber::assembly
