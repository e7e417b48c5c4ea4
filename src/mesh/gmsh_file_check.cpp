#include "mesh/gmsh_file_check.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace limber::mesh {

namespace {

constexpr std::uint64_t kMaxInt = std::numeric_limits<std::int32_t>::max();

/// Nodes of the element types of the Gmsh reference manual; 0: not one of them.
int nodes_of_type(std::uint64_t type) {
  constexpr std::array<int, 32> kNodes = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                          8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  if (type < kNodes.size()) return kNodes[type];
  if (type == 92) return 64;
  if (type == 93) return 125;
  return 0;
}

/// A file mapped into memory, read only.
class MappedFile {
public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const off_t size = ::lseek(file, 0, SEEK_END);
    if (size > 0) {
      void* const data = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file, 0);
      if (data != MAP_FAILED) bytes_ = {static_cast<const char*>(data), static_cast<std::size_t>(size)};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

private:
  std::string_view bytes_;
};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

class MshChecker {
public:
  MshChecker(std::string_view bytes, const base::ErrorContext& context) : rest_(bytes), context_(context) {}

  void check() {
    bool nodes = false, elements = false;
    while (find_section()) {
      if (section_ != "MeshFormat" && version_ == 0.0) break;
      if (section_ == "MeshFormat") {
        read_format();
      } else if (section_ == "PhysicalNames") {
        check_names();
      } else if (section_ == "Entities" && version_ > 4.0) {
        check_entities();
      } else if (section_ == "Nodes") {
        nodes = true;
        version_ < 3.0 ? check_nodes_2() : check_nodes_4();
        check_node_tags();
      } else if (section_ == "Elements") {
        elements = true;
        version_ < 3.0 ? check_elements_2() : check_elements_4();
      }
      end_section();
    }
    section_.clear();
    if (version_ == 0.0)
      fail("not a Gmsh mesh: it does not begin with $MeshFormat",
           "Save the mesh from Gmsh as .msh, version 4.1 or 2.2 (gmsh -save -format msh41).");
    if (!nodes) fail("it has no $Nodes section");
    if (!elements) fail("it has no $Elements section");
  }

private:
  [[noreturn]] void fail(const std::string& what, const std::string& advice = "") const {
    base::ErrorContext context = context_;
    context.advice = advice.empty() ? "The file is damaged or incomplete: save it again from Gmsh." : advice;
    const std::string place = section_.empty() ? "" : "section $" + section_ + ": ";
    throw base::UserError("the mesh file cannot be read: " + place + what, context);
  }

  // Text.

  std::string_view line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  static std::string_view token_of(std::string_view& text) {
    std::size_t begin = 0;
    while (begin < text.size() && is_space(text[begin])) ++begin;
    std::size_t end = begin;
    while (end < text.size() && !is_space(text[end])) ++end;
    const std::string_view token = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return token;
  }

  template <class Number> Number number_of(std::string_view& text, Number most) const {
    std::string_view token = token_of(text);
    if (token.empty()) fail("it ends too early");
    if (token.starts_with('+')) token.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    // A denormal number is out of range for from_chars but not for Gmsh.
    const bool tiny = std::is_floating_point_v<Number> && error == std::errc::result_out_of_range;
    if ((error != std::errc{} && !tiny) || end != token.data() + token.size() || value > most)
      fail("'" + std::string(token.substr(0, 40)) + "' stands where a number is expected");
    return value;
  }

  std::uint64_t count_or_tag(std::uint64_t most) { return number_of<std::uint64_t>(rest_, most); }
  std::int32_t integer() { return number_of<std::int32_t>(rest_, std::numeric_limits<std::int32_t>::max()); }
  void skip_reals(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) number_of<double>(rest_, std::numeric_limits<double>::infinity());
  }

  // Binary.

  template <class Number> Number raw() {
    Number value{};
    need(1, sizeof(Number));
    std::memcpy(&value, rest_.data(), sizeof(Number));
    rest_.remove_prefix(sizeof(Number));
    return value;
  }
  /// That `n` things of at least `size` bytes each fit into what is left of the file.
  void need(std::uint64_t n, std::uint64_t size) const {
    if (n > rest_.size() / size)
      fail("it announces " + std::to_string(n) + " entries, more than the rest of the file can hold");
  }
  void skip(std::uint64_t n, std::uint64_t size) {
    need(n, size);
    rest_.remove_prefix(n * size);
  }

  // Either.

  std::uint64_t count() {
    return binary_ ? raw<std::uint64_t>() : count_or_tag(std::numeric_limits<std::int64_t>::max());
  }
  std::int32_t signed_int() { return binary_ ? raw<std::int32_t>() : integer(); }
  void skip_doubles(std::uint64_t n) {
    if (binary_) skip(n, sizeof(double));
    else skip_reals(n);
  }
  void skip_ints(std::uint64_t n) {
    if (binary_) return skip(n, sizeof(std::int32_t));
    need(n, 2);
    for (std::uint64_t i = 0; i < n; ++i) integer();
  }
  void check_tag(std::uint64_t tag) const {
    if (tag < 1 || tag > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
      fail("it has a tag that is not positive");
  }

  // Nodes and elements.

  void add_node(std::uint64_t tag) {
    check_tag(tag);
    // Gmsh keeps some of these tags in 32 bits.
    if (tag > kMaxInt)
      fail("the node tag " + std::to_string(tag) + " is larger than " + std::to_string(kMaxInt),
           "Number the nodes from 1 on, and save the mesh again.");
    node_tags_.push_back(tag);
  }

  /// Sorts the tags; Gmsh takes the first of several nodes of a tag and drops the others.
  void check_node_tags() {
    if (!std::is_sorted(node_tags_.begin(), node_tags_.end())) std::sort(node_tags_.begin(), node_tags_.end());
    const auto twice = std::adjacent_find(node_tags_.begin(), node_tags_.end());
    if (twice != node_tags_.end())
      fail("two nodes have the tag " + std::to_string(*twice), "Give each node its own tag, or save the mesh again.");
  }

  void check_vertex(std::uint64_t tag, std::uint64_t element) const {
    // Nearly every file numbers its nodes 1, 2, 3 …
    if (tag >= 1 && tag <= node_tags_.size() && node_tags_[tag - 1] == tag) return;
    if (node_tags_.empty() || std::binary_search(node_tags_.begin(), node_tags_.end(), tag)) return;
    fail("element " + std::to_string(element) + " refers to node " + std::to_string(tag) +
             ", which is not among the nodes of the file",
         "Correct the element, or save the mesh again from Gmsh.");
  }

  /// Gmsh's interface mixes up the nodes where a volume has both.
  void check_order(std::uint64_t type) {
    constexpr std::uint64_t linear = 4, quadratic = 11;
    has_linear_ = has_linear_ || type == linear;
    has_quadratic_ = has_quadratic_ || type == quadratic;
    if (has_linear_ && has_quadratic_)
      fail("the mesh has both linear and quadratic tetrahedra",
           "Save it with one order (in Gmsh: Mesh > Set order 1 or 2).");
  }

  // Sections.

  bool find_section() {
    while (!rest_.empty()) {
      std::string_view text = line();
      if (!text.starts_with('$')) continue;
      text.remove_prefix(1);
      section_ = std::string(token_of(text).substr(0, 60));
      return true;
    }
    return false;
  }

  void end_section() {
    const std::string end = "$End" + section_;
    const bool check_only_space = section_ == "Nodes" || section_ == "Elements";
    while (true) {
      const std::size_t at = rest_.find(end);
      if (at == std::string_view::npos) fail("its end, " + end + ", is missing");
      if (check_only_space)
        for (const char c : rest_.substr(0, at))
          if (!is_space(c)) fail("it holds more than it announces");
      const bool at_line_start = at == 0 || rest_.data()[static_cast<std::ptrdiff_t>(at) - 1] == '\n' || binary_;
      rest_.remove_prefix(at + end.size());
      if (at_line_start) break;
    }
    line();
  }

  void read_format() {
    std::string_view text = line();
    version_ = number_of<double>(text, 100.0);
    const auto type = number_of<std::uint64_t>(text, 1);
    const auto size = number_of<std::uint64_t>(text, 16);
    binary_ = type == 1;
    if (!(version_ >= 2.0 && version_ < 2.3) && !(version_ > 4.05 && version_ < 4.15))
      fail("version " + std::to_string(version_).substr(0, 4) + " of the format is not supported",
           "Convert the file with Gmsh: gmsh -save_all -format msh41 -o NEW.msh FILE.msh");
    if (!binary_) return;
    if (size != 8 || raw<std::int32_t>() != 1)
      fail("the binary file was written on a machine of another kind", "Save the mesh as ASCII.");
  }

  void check_names() {
    std::string_view text = line();
    const auto n = number_of<std::uint64_t>(text, kMaxInt);
    need(n, 4);
    std::set<std::pair<std::uint64_t, std::string>> names;
    for (std::uint64_t i = 0; i < n; ++i) {
      std::string_view entry = line();
      const std::size_t length = entry.size();
      const std::uint64_t dimension = version_ > 2.0 ? number_of<std::uint64_t>(entry, 3) : 0;
      number_of<std::int32_t>(entry, std::numeric_limits<std::int32_t>::max());
      if (length > 200) fail("it has a name of more than 200 characters", "Use shorter names of physical groups.");
      if (std::count(entry.begin(), entry.end(), '"') != 2) fail("a name is not in quotes");
      const std::size_t first = entry.find('"') + 1;
      const std::string name(entry.substr(first, entry.rfind('"') - first));
      // Gmsh takes the name for the first of them alone.
      if (!names.emplace(dimension, name).second)
        fail("two physical groups of dimension " + std::to_string(dimension) + " have the name '" + name + "'",
             "Give each physical group of a dimension its own name.");
    }
  }

  void check_entities() {
    std::array<std::uint64_t, 4> counts{};
    for (auto& n : counts) need(n = count(), 2);
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (std::uint64_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
        signed_int();
        skip_doubles(dimension == 0 ? 3 : 6);
        skip_ints(count());
        if (dimension > 0) skip_ints(count());
      }
    }
  }

  void check_nodes_2() {
    std::string_view text = line();
    const auto n = number_of<std::uint64_t>(text, kMaxInt);
    need(n, 8);
    for (std::uint64_t i = 0; i < n; ++i) {
      add_node(binary_ ? std::uint64_t(std::int64_t(raw<std::int32_t>())) : count_or_tag(kMaxInt));
      skip_doubles(3);
    }
  }

  void check_elements_2() {
    std::string_view text = line();
    const auto n = number_of<std::uint64_t>(text, kMaxInt);
    need(n, 8);
    for (std::uint64_t read = 0; read < n;) {
      std::uint64_t tag = 0, type = 0, block = 1, tags = 0;
      if (binary_) {
        type = raw<std::uint32_t>();
        block = raw<std::uint32_t>();
        tags = raw<std::uint32_t>();
      } else {
        tag = count_or_tag(kMaxInt);
        check_tag(tag);
        type = count_or_tag(kMaxInt);
        tags = count_or_tag(kMaxInt);
      }
      const int nodes = nodes_of_type(type);
      if (nodes == 0) fail("element type " + std::to_string(type) + " is not available");
      if (tags > 1000) fail("an element has " + std::to_string(tags) + " tags");
      if (block == 0 || block > n - read) fail("its blocks do not add up to the announced number of elements");
      check_order(type);
      if (binary_) need(block, 4 * (1 + tags + static_cast<std::uint64_t>(nodes)));
      for (std::uint64_t i = 0; i < block; ++i) {
        if (binary_) tag = raw<std::uint32_t>();
        skip_ints(tags);
        for (int k = 0; k < nodes; ++k)
          check_vertex(binary_ ? std::uint64_t(raw<std::uint32_t>()) : count_or_tag(kMaxInt), tag);
      }
      read += block;
    }
  }

  void check_nodes_4() {
    const std::uint64_t blocks = count(), total = count();
    count(); // smallest and largest tag: Gmsh does not rely on them
    count();
    need(total, 8);
    std::uint64_t read = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int32_t dimension = signed_int();
      signed_int(); // tag of the entity
      const std::int32_t parametric = signed_int();
      const std::uint64_t n = count();
      if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) fail("a block's first line is wrong");
      if (n > total - read) fail("its blocks hold more nodes than it announces");
      for (std::uint64_t i = 0; i < n; ++i) add_node(count());
      need(n, 6); // so that the product below cannot overflow
      skip_doubles(n * static_cast<std::uint64_t>(3 + (parametric == 1 ? dimension : 0)));
      read += n;
    }
    if (read != total) fail("its blocks hold fewer nodes than it announces");
  }

  void check_elements_4() {
    const std::uint64_t blocks = count(), total = count();
    count();
    count();
    need(total, 4);
    std::uint64_t read = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) {
      const std::int32_t dimension = signed_int();
      signed_int();
      const std::int32_t type = signed_int();
      const std::uint64_t n = count();
      const int nodes = type < 0 ? 0 : nodes_of_type(static_cast<std::uint64_t>(type));
      if (dimension < 0 || dimension > 3) fail("a block's first line is wrong");
      if (nodes == 0) fail("element type " + std::to_string(type) + " is not available");
      if (n > total - read) fail("its blocks hold more elements than it announces");
      check_order(static_cast<std::uint64_t>(type));
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t tag = count();
        check_tag(tag);
        if (!binary_) check_vertices_on_line(nodes, tag);
        else
          for (int k = 0; k < nodes; ++k) check_vertex(raw<std::uint64_t>(), tag);
      }
      read += n;
    }
    if (read != total) fail("its blocks hold fewer elements than it announces");
  }

  /// Gmsh reads an element's vertices from the line of its tag, whatever its length.
  void check_vertices_on_line(int nodes, std::uint64_t element) {
    std::string_view text = line();
    if (text.size() > 9000) fail("it has a line of more than 9000 characters");
    for (int k = 0; k < nodes; ++k)
      check_vertex(number_of<std::uint64_t>(text, std::numeric_limits<std::uint64_t>::max()), element);
    if (!token_of(text).empty()) fail("an element has too many vertices");
  }

  std::string_view rest_;
  const base::ErrorContext& context_;
  std::string section_;
  double version_ = 0.0;
  bool binary_ = false, has_linear_ = false, has_quadratic_ = false;
  std::vector<std::uint64_t> node_tags_; ///< increasing
};

} // namespace

void check_readable(const std::string& path, const base::ErrorContext& context) {
  const auto fail = [&](const std::string& what, const std::string& advice) {
    base::ErrorContext full = context;
    full.advice = advice;
    throw base::UserError("the mesh file cannot be read: " + what, full);
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    fail("there is no such file", "Check the path; in a configuration it is relative to the configuration file.");
  if (!std::filesystem::is_regular_file(status)) fail("it is not a regular file", "Name a .msh or .geo file.");
  if (::access(path.c_str(), R_OK) != 0) fail(std::strerror(errno), "Make the file readable.");
  if (std::filesystem::file_size(path, error) == 0) fail("it is empty", "Save the mesh again.");
}

void check_msh_structure(const std::string& path, const base::ErrorContext& context) {
  const MappedFile file(path);
  MshChecker(file.bytes(), context).check();
}

} // namespace limber::mesh
