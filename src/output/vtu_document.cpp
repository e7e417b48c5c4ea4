#include "output/vtu_document.hpp"

#include <spdlog/fmt/fmt.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCellType.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkSmartPointer.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include "base/error.hpp"

namespace limber::output {
namespace {

template <class T> struct VtkArray;
template <> struct VtkArray<double> {
  using type = vtkDoubleArray;
  static constexpr const char* name = "Float64";
};
template <> struct VtkArray<std::int64_t> {
  using type = vtkTypeInt64Array;
  static constexpr const char* name = "Int64";
};
template <> struct VtkArray<std::int32_t> {
  using type = vtkTypeInt32Array;
  static constexpr const char* name = "Int32";
};

/// A VTK array on the caller's memory, which VTK does not change when it writes.
template <class T> auto wrap(std::span<const T> values, int components) {
  using Array = typename VtkArray<T>::type;
  auto array = vtkSmartPointer<Array>::New();
  array->SetNumberOfComponents(components);
  // VTK may spell a 64-bit integer `long long` where the standard library has `long`.
  static_assert(sizeof(typename Array::ValueType) == sizeof(T));
  if (!values.empty())
    array->SetArray(reinterpret_cast<typename Array::ValueType*>(const_cast<T*>(values.data())),
                    static_cast<vtkIdType>(values.size()), 1 /* the caller frees */);
  return array;
}

void add_arrays(vtkFieldData* data, const std::vector<ArrayView>& arrays) {
  for (const ArrayView& view : arrays)
    std::visit(
        [&](auto values) {
          auto array = wrap(values, view.components);
          array->SetName(view.name.c_str());
          data->AddArray(array);
        },
        view.values);
}

std::string parallel_arrays(const char* section, const std::vector<ArrayView>& arrays) {
  std::string text = fmt::format("    <{}>\n", section);
  for (const ArrayView& view : arrays)
    text += fmt::format(
        "      <PDataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
        std::visit([](auto values) { return VtkArray<typename decltype(values)::value_type>::name; }, view.values),
        xml_escape(view.name), view.components);
  return text + fmt::format("    </{}>\n", section);
}

} // namespace

std::string vtu_document(const PieceView& piece) {
  std::vector<std::int64_t> cell_offsets{0};
  vtkNew<vtkUnsignedCharArray> types;
  for (const std::int32_t size : piece.cell_sizes) {
    cell_offsets.push_back(cell_offsets.back() + size);
    types->InsertNextValue(size == 2   ? VTK_LINE
                           : size == 3 ? VTK_TRIANGLE
                           : size == 4 ? VTK_TETRA
                                       : VTK_QUADRATIC_TETRA);
  }

  vtkNew<vtkPoints> points;
  points->SetData(wrap(piece.points, 3));
  vtkNew<vtkCellArray> cells;
  cells->SetData(wrap(std::span<const std::int64_t>(cell_offsets), 1).Get(), wrap(piece.connectivity, 1).Get());
  vtkNew<vtkUnstructuredGrid> grid;
  grid->SetPoints(points);
  grid->SetCells(types, cells);
  add_arrays(grid->GetPointData(), piece.point_data);
  add_arrays(grid->GetCellData(), piece.cell_data);

  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  writer->SetInputData(grid);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToZLib();
  writer->SetHeaderTypeToUInt64();
  writer->SetByteOrderToLittleEndian();
  writer->WriteToOutputStringOn();
  if (writer->Write() != 1 || writer->GetErrorCode() != vtkErrorCode::NoError)
    throw base::IoError(fmt::format("VTK could not compose a frame (its error {})", writer->GetErrorCode()));
  return writer->GetOutputString();
}

std::string pvtu_document(const PieceView& arrays, const std::vector<std::string>& pieces) {
  std::string text = "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
                     "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
                     "  <PUnstructuredGrid GhostLevel=\"0\">\n";
  text += parallel_arrays("PPointData", arrays.point_data);
  text += parallel_arrays("PCellData", arrays.cell_data);
  text += "    <PPoints>\n"
          "      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
          "    </PPoints>\n";
  for (const std::string& piece : pieces) text += fmt::format("    <Piece Source=\"{}\"/>\n", xml_escape(piece));
  return text + "  </PUnstructuredGrid>\n</VTKFile>\n";
}

std::string xml_escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

} // namespace limber::output
