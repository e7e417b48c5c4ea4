#include "mesh/vtk_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <tuple>
#include <utility>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkCellTypes.h>
#include <vtkDataArray.h>
#include <vtkErrorCode.h>
#include <vtkIdList.h>
#include <vtkLogger.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridReader.h>

#include "mesh/gmsh_file_check.hpp"

namespace limber::mesh {

namespace {

[[noreturn]] void fail(const std::string& what, base::ErrorContext context, const std::string& advice) {
  context.advice = advice;
  throw base::UserError(what, context);
}

const char kSaveAgain[] =
    "Save the mesh again as an unstructured grid (.vtu, or legacy .vtk); ParaView opens such files "
    "and shows what they hold.";

/// Keeps what VTK would print.
class MessageWindow : public vtkOutputWindow {
public:
  vtkTypeMacro(MessageWindow, vtkOutputWindow);
  static MessageWindow* New() { VTK_STANDARD_NEW_BODY(MessageWindow); }
  void DisplayText(const char* text) override { errors.emplace_back(text); }
  void DisplayErrorText(const char* text) override { errors.emplace_back(text); }
  void DisplayWarningText(const char* text) override { warnings.emplace_back(text); }
  void DisplayGenericWarningText(const char* text) override { warnings.emplace_back(text); }
  void DisplayDebugText(const char*) override {}

  std::vector<std::string> errors, warnings;

protected:
  MessageWindow() = default;
};

/// Puts the window in VTK's place while it lives.
class Redirection {
public:
  explicit Redirection(vtkOutputWindow* window)
      : before_(vtkOutputWindow::GetInstance()), verbosity_(vtkLogger::GetCurrentVerbosityCutoff()) {
    vtkOutputWindow::SetInstance(window);
    // VTK's log repeats the messages on the terminal.
    vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
  }
  ~Redirection() {
    vtkLogger::SetStderrVerbosity(verbosity_);
    vtkOutputWindow::SetInstance(before_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

private:
  vtkSmartPointer<vtkOutputWindow> before_;
  vtkLogger::Verbosity verbosity_;
};

/// What is wrong, in the user's words, and the line where VTK names one (0: none).
std::pair<std::string, int> explain(const std::string& message) {
  const auto says = [&](const char* word) { return message.find(word) != std::string::npos; };
  int line = 0;
  if (says("parsing XML")) {
    if (const auto at = message.find(" line ", message.find("parsing XML")); at != std::string::npos)
      line = std::atoi(message.c_str() + at + 6);
    if (says("mismatched tag")) return {"its XML has a closing tag that does not match the opening one", line};
    if (says("unclosed token") || says("no element found")) return {"its XML ends too early", line};
    return {"its XML is not well-formed", line};
  }
  if (says("cell")) return {"its cells are incomplete, or hold something other than numbers", 0};
  if (says("oint")) return {"its points are incomplete, or hold something other than numbers", 0};
  return {"its data are incomplete, or hold something other than numbers", 0};
}

/// "ERROR: In file.cxx, line 12\nvtkReader (0x55…): The reason\n\n" without the place in VTK's source.
std::string reason_of(const std::string& message) {
  const auto object = message.find("): ");
  std::string reason = object == std::string::npos ? message : message.substr(object + 3);
  while (!reason.empty() && std::isspace(static_cast<unsigned char>(reason.back()))) reason.pop_back();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason;
}

/// VTK allocates what the file announces before it looks whether that is there. The tightest code for a node or a cell
/// takes a hundredth of a byte (zlib shrinks at most a thousandfold).
void check_announced(const std::string& path, const base::ErrorContext& context) {
  constexpr double kPerByte = 100.0;
  const double most = kPerByte * static_cast<double>(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (line.find("<AppendedData") != std::string::npos) break;
    for (const std::string key : {"NumberOfPoints=\"", "NumberOfCells=\"", "POINTS ", "CELLS ", "CELL_TYPES "}) {
      const bool xml = key.back() == '"';
      const auto at = xml ? line.find(key) : (line.starts_with(key) ? 0 : std::string::npos);
      if (at == std::string::npos) continue;
      const double count = std::strtod(line.c_str() + at + key.size(), nullptr);
      if (count > most || count < 0.0)
        fail("the file is damaged: it announces more nodes or cells than it has room for (" +
                 line.substr(at, std::min<std::size_t>(60, line.size() - at)) + ")",
             context, kSaveAgain);
    }
  }
}

std::string lower_extension(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

[[noreturn]] void refuse_surface(const base::ErrorContext& context) {
  fail("this is a surface where a volume is needed: the file has no tetrahedra", context,
       "Save the surface as .stl or .obj to have it filled with tetrahedra, or save the tetrahedral mesh.");
}

template <class Reader> vtkSmartPointer<vtkUnstructuredGrid> output_of(Reader* reader, bool& failed) {
  reader->Update();
  failed = reader->GetErrorCode() != vtkErrorCode::NoError;
  return reader->GetOutput();
}

vtkSmartPointer<vtkUnstructuredGrid> read(const std::string& path, const base::ErrorContext& context, bool& failed) {
  if (lower_extension(path) == ".vtu") {
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    if (reader->CanReadFile(path.c_str()) == 0)
      fail("this is no VTK XML file with an unstructured grid", context, kSaveAgain);
    reader->SetFileName(path.c_str());
    return output_of(reader.Get(), failed);
  }
  vtkNew<vtkUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  if (reader->IsFilePolyData()) refuse_surface(context);
  if (!reader->IsFileUnstructuredGrid())
    fail("this is no legacy VTK file with an unstructured grid", context, kSaveAgain);
  reader->ReadAllScalarsOn();
  return output_of(reader.Get(), failed);
}

/// The cells' group numbers; all 0 where no array has one of the names.
void copy_groups(vtkUnstructuredGrid* grid, VtkGrid& copy, const base::ErrorContext& context) {
  copy.groups.assign(copy.cell_count(), 0);
  for (const char* name : {"group", "physical", "gmsh:physical", "medit:ref", "CellEntityIds"}) {
    vtkDataArray* const array = grid->GetCellData()->GetArray(name);
    if (!array) continue;
    if (array->GetNumberOfComponents() != 1 || array->GetDataType() == VTK_FLOAT ||
        array->GetDataType() == VTK_DOUBLE) {
      copy.warnings.push_back("the cell array '" + std::string(name) +
                              "' is not used for groups: it does not hold one integer a cell");
      continue;
    }
    if (array->GetNumberOfTuples() != grid->GetNumberOfCells())
      fail("the cell array '" + std::string(name) + "' has " + std::to_string(array->GetNumberOfTuples()) +
               " values for " + std::to_string(copy.cell_count()) + " cells",
           context, kSaveAgain);
    for (std::size_t c = 0; c < copy.cell_count(); ++c) {
      const double value = array->GetComponent(static_cast<vtkIdType>(c), 0); // exact up to 2^53
      if (std::abs(value) > std::numeric_limits<std::int32_t>::max())
        fail("the cell array '" + std::string(name) + "' has a number that 32 bits do not hold, at cell " +
                 std::to_string(c + 1),
             context, "Use smaller group numbers.");
      copy.groups[c] = static_cast<std::int32_t>(value);
    }
    return;
  }
}

VtkGrid copy_of(vtkUnstructuredGrid* grid, const base::ErrorContext& context) {
  VtkGrid copy;
  constexpr vtkIdType kMax = std::numeric_limits<LocalIndex>::max();
  const vtkIdType nodes = grid->GetNumberOfPoints(), cells = grid->GetNumberOfCells();
  if (nodes > kMax || cells > kMax)
    fail("the mesh has more nodes or cells than a 32-bit index counts", context,
         "Use a coarser mesh, or split the body.");
  copy.points.resize(3 * static_cast<std::size_t>(nodes));
  for (vtkIdType i = 0; i < nodes; ++i) grid->GetPoint(i, &copy.points[3 * static_cast<std::size_t>(i)]);
  copy.types.reserve(static_cast<std::size_t>(cells));
  copy.offsets = {0};
  vtkNew<vtkIdList> ids;
  const bool typed =
      cells == 0 || (grid->GetCellTypesArray() && grid->GetCellTypesArray()->GetNumberOfValues() == cells);
  if (!typed) fail("the cells of the file have no types, or too few", context, kSaveAgain);
  for (vtkIdType c = 0; c < cells; ++c) {
    const int type = grid->GetCellType(c);
    grid->GetCells()->GetCellAtId(c, ids);
    for (vtkIdType k = 0; k < ids->GetNumberOfIds(); ++k) {
      const vtkIdType node = ids->GetId(k);
      if (node < 0 || node >= nodes)
        fail("cell " + std::to_string(c + 1) + " refers to the node " + std::to_string(node) + "; there are " +
                 std::to_string(nodes) + ", counted from 0",
             context, kSaveAgain);
      copy.nodes.push_back(static_cast<LocalIndex>(node));
    }
    copy.types.push_back(static_cast<std::uint8_t>(type));
    copy.offsets.push_back(copy.nodes.size());
  }
  copy_groups(grid, copy, context);
  return copy;
}

/// Whether the offsets describe cells inside the connectivity: VTK believes what the file says.
bool sound_cells(vtkUnstructuredGrid* grid) {
  vtkCellArray* const cells = grid->GetCells();
  if (!cells) return true;
  vtkDataArray* const offsets = cells->GetOffsetsArray();
  const vtkIdType count = offsets->GetNumberOfTuples(), size = cells->GetConnectivityArray()->GetNumberOfTuples();
  if (count == 0) return grid->GetNumberOfCells() == 0;
  double before = 0.0;
  for (vtkIdType i = 0; i < count; ++i) {
    const double offset = offsets->GetComponent(i, 0);
    if (offset < before || offset > static_cast<double>(size)) return false;
    before = offset;
  }
  return true;
}

/// Number of nodes of the cells that are read, 0 for the others.
std::size_t nodes_of(int type) {
  switch (type) {
  case VTK_VERTEX:
    return 1;
  case VTK_LINE:
    return 2;
  case VTK_QUADRATIC_EDGE:
  case VTK_TRIANGLE:
    return 3;
  case VTK_QUADRATIC_TRIANGLE:
    return 6;
  case VTK_TETRA:
    return 4;
  case VTK_QUADRATIC_TETRA:
    return 10;
  default:
    return 0;
  }
}

void check_cells(const VtkGrid& grid, const base::ErrorContext& context) {
  std::map<int, std::size_t> counts;
  for (std::size_t c = 0; c < grid.cell_count(); ++c) {
    const int type = grid.types[c];
    ++counts[type];
    const std::size_t nodes = nodes_of(type);
    if (nodes > 0 && grid.offsets[c + 1] - grid.offsets[c] != nodes)
      fail("cell " + std::to_string(c + 1) + " of type " + vtk_cell_kind(type).name + " has " +
               std::to_string(grid.offsets[c + 1] - grid.offsets[c]) + " nodes instead of " + std::to_string(nodes),
           context, kSaveAgain);
  }
  std::string others;
  for (const auto& [type, count] : counts)
    if (nodes_of(type) == 0)
      others += (others.empty() ? "" : ", ") + std::to_string(count) + " of type " + vtk_cell_kind(type).name;
  const std::size_t linear = counts[VTK_TETRA], quadratic = counts[VTK_QUADRATIC_TETRA];
  const std::size_t triangles = counts[VTK_TRIANGLE] + counts[VTK_QUADRATIC_TRIANGLE];
  if (!others.empty())
    fail("the mesh has cells that are not available: " + others, context,
         "Only tetrahedra (TETRA, QUADRATIC_TETRA) are: in ParaView use the filter Tetrahedralize and save its result, "
         "or "
         "mesh with tetrahedra.");
  if (linear > 0 && quadratic > 0)
    fail("the mesh has " + std::to_string(linear) + " linear and " + std::to_string(quadratic) +
             " quadratic tetrahedra",
         context, "Save the mesh with tetrahedra of one order.");
  if (linear + quadratic == 0 && triangles > 0) refuse_surface(context);
  if (linear + quadratic == 0)
    fail("the file has no tetrahedra", context, "Give a tetrahedral mesh of the body's volume.");
}

} // namespace

VtkCellKind vtk_cell_kind(int type) {
  const char* const name = vtkCellTypes::GetClassNameFromTypeId(type);
  VtkCellKind kind{"type " + std::to_string(type), -1, 1};
  switch (type) {
  case VTK_VERTEX:
    return {"VERTEX", 0, 1};
  case VTK_POLY_VERTEX:
    return {"POLY_VERTEX", 0, 1};
  case VTK_LINE:
    return {"LINE", 1, 1};
  case VTK_POLY_LINE:
    return {"POLY_LINE", 1, 1};
  case VTK_QUADRATIC_EDGE:
    return {"QUADRATIC_EDGE", 1, 2};
  case VTK_TRIANGLE:
    return {"TRIANGLE", 2, 1};
  case VTK_TRIANGLE_STRIP:
    return {"TRIANGLE_STRIP", 2, 1};
  case VTK_POLYGON:
    return {"POLYGON", 2, 1};
  case VTK_PIXEL:
    return {"PIXEL", 2, 1};
  case VTK_QUAD:
    return {"QUAD", 2, 1};
  case VTK_QUADRATIC_TRIANGLE:
    return {"QUADRATIC_TRIANGLE", 2, 2};
  case VTK_QUADRATIC_QUAD:
    return {"QUADRATIC_QUAD", 2, 2};
  case VTK_TETRA:
    return {"TETRA", 3, 1};
  case VTK_VOXEL:
    return {"VOXEL", 3, 1};
  case VTK_HEXAHEDRON:
    return {"HEXAHEDRON", 3, 1};
  case VTK_WEDGE:
    return {"WEDGE", 3, 1};
  case VTK_PYRAMID:
    return {"PYRAMID", 3, 1};
  case VTK_POLYHEDRON:
    return {"POLYHEDRON", 3, 1};
  case VTK_QUADRATIC_TETRA:
    return {"QUADRATIC_TETRA", 3, 2};
  case VTK_QUADRATIC_HEXAHEDRON:
    return {"QUADRATIC_HEXAHEDRON", 3, 2};
  case VTK_QUADRATIC_WEDGE:
    return {"QUADRATIC_WEDGE", 3, 2};
  case VTK_QUADRATIC_PYRAMID:
    return {"QUADRATIC_PYRAMID", 3, 2};
  default:
    break;
  }
  if (name && std::string(name) != "UnknownClass") kind.name += " (" + std::string(name) + ")";
  return kind;
}

VtkGrid read_vtk_grid(const std::string& path, const base::ErrorContext& context) {
  check_readable(path, context);
  check_announced(path, context);
  vtkNew<MessageWindow> window;
  bool failed = false;
  VtkGrid copy;
  std::string reason;
  try {
    const Redirection redirection(window);
    const vtkSmartPointer<vtkUnstructuredGrid> grid = read(path, context, failed);
    if (!grid || !sound_cells(grid)) {
      failed = true;
      reason = "its cells are damaged";
    } else if (!failed && window->errors.empty()) {
      copy = copy_of(grid, context);
    }
  } catch (const base::UserError&) {
    throw;
  } catch (const std::bad_alloc&) {
    reason = "it asks for more memory than there is";
  } catch (const std::exception&) {
    reason = "its content is damaged";
  }
  if (failed || !window->errors.empty() || !reason.empty()) {
    auto place = context;
    if (reason.empty() && !window->errors.empty())
      std::tie(reason, place.line) = explain(reason_of(window->errors.front()));
    if (reason.empty()) reason = "it is damaged, incomplete or not what its name says";
    fail("the file cannot be read: " + reason, place, kSaveAgain);
  }
  for (const std::string& warning : window->warnings) copy.warnings.push_back("VTK: " + reason_of(warning));
  return copy;
}

namespace {

/// Dimension of the cells of a shell or of what springs are made from; 0: none.
int check_thin_cells(const VtkGrid& grid, BodyKind kind, const base::ErrorContext& context) {
  int dimension = 0;
  for (std::size_t c = 0; c < grid.cell_count(); ++c)
    dimension = std::max(dimension, vtk_cell_kind(grid.types[c]).dimension);
  if (kind == BodyKind::shell && dimension > 2) dimension = 2;
  if (dimension == 3) {
    check_cells(grid, context);
    return 3;
  }
  std::size_t found = 0;
  for (std::size_t c = 0; c < grid.cell_count(); ++c) {
    const auto cell = vtk_cell_kind(grid.types[c]);
    if (cell.dimension != dimension) continue;
    ++found;
    const int type = grid.types[c];
    const std::size_t nodes = nodes_of(type);
    if (dimension > 0 && type != (dimension == 2 ? VTK_TRIANGLE : VTK_LINE))
      fail("the mesh has cells of type " + cell.name + "; only " + (dimension == 2 ? "triangles" : "lines") +
               " are available here",
           context, "In ParaView use the filter Triangulate and save its result.");
    if (dimension > 0 && grid.offsets[c + 1] - grid.offsets[c] != nodes)
      fail("cell " + std::to_string(c + 1) + " of type " + cell.name + " has " +
               std::to_string(grid.offsets[c + 1] - grid.offsets[c]) + " nodes instead of " + std::to_string(nodes),
           context, kSaveAgain);
  }
  if (kind == BodyKind::shell && (dimension < 2 || found == 0))
    fail("the file has no triangles", context, "Give a triangulated surface for a body of type shell.");
  return dimension;
}

ExtractedMesh mesh_of(VtkGrid&& grid, int cell_dimension) {
  ExtractedMesh mesh;
  if (cell_dimension != 3) mesh.kind = cell_dimension == 2 ? CellKind::triangle : CellKind::line;
  mesh.warnings = std::move(grid.warnings);
  mesh.points = std::move(grid.points);
  mesh.node_tags.resize(mesh.points.size() / 3);
  for (std::size_t i = 0; i < mesh.node_tags.size(); ++i) mesh.node_tags[i] = i + 1;

  std::map<std::pair<int, int>, ExtractedGroup> groups; // by dimension and tag
  for (std::size_t c = 0; c < grid.cell_count(); ++c) {
    const auto begin = grid.nodes.begin() + static_cast<std::ptrdiff_t>(grid.offsets[c]);
    const auto end = grid.nodes.begin() + static_cast<std::ptrdiff_t>(grid.offsets[c + 1]);
    const VtkCellKind kind = vtk_cell_kind(grid.types[c]);
    if (cell_dimension > 0 && kind.dimension == cell_dimension) {
      mesh.order = kind.order;
      mesh.cell_tags.push_back(c + 1);
      mesh.cell_groups.push_back(grid.groups[c]);
      mesh.cells.insert(mesh.cells.end(), begin, end);
    }
    if (grid.groups[c] == 0) continue;
    ExtractedGroup& group = groups[{kind.dimension, grid.groups[c]}];
    group.nodes.insert(group.nodes.end(), begin, end);
    if (kind.dimension == 2) group.triangles.insert(group.triangles.end(), begin, begin + 3);
  }
  for (auto& [key, group] : groups) {
    group.dimension = key.first;
    group.tag = key.second;
    std::sort(group.nodes.begin(), group.nodes.end());
    group.nodes.erase(std::unique(group.nodes.begin(), group.nodes.end()), group.nodes.end());
    group.nodes.shrink_to_fit();
    mesh.groups.push_back(std::move(group));
  }
  return mesh;
}

} // namespace

ExtractedMesh read_vtk_volume(const std::string& path, const base::ErrorContext& context) {
  VtkGrid grid = read_vtk_grid(path, context);
  check_cells(grid, context);
  return mesh_of(std::move(grid), 3);
}

ExtractedMesh read_vtk_mesh(const std::string& path, BodyKind kind, const base::ErrorContext& context) {
  if (kind == BodyKind::solid) return read_vtk_volume(path, context);
  VtkGrid grid = read_vtk_grid(path, context);
  const int dimension = check_thin_cells(grid, kind, context);
  return mesh_of(std::move(grid), dimension);
}

} // namespace limber::mesh
