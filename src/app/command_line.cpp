#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <spdlog/spdlog.h>
#include <sstream>
#include <string_view>

#include "app/interrupt.hpp"
#include "app/simulation.hpp"
#include "app/version.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "config/schema.hpp"
#include "mesh/mesh_report.hpp"
#include "solvers/linear_solver.hpp"

namespace limber::app {
namespace {

struct Arguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string output;
  RunOptions run;
  std::string schema_format = "yaml-doc";
  std::string mesh;
  double element_size = 0.0; ///< for info
};

config::LoadedScene load(MPI_Comm comm, Arguments& arguments) {
  std::string text;
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) == 0) text = config::read_text(arguments.config);
  });
  base::broadcast(comm, text);
  auto overrides = arguments.overrides;
  if (!arguments.output.empty()) overrides.push_back("output.directory=" + arguments.output);
  return config::load_scene(text, arguments.config, overrides);
}

/// PETSc skips what is neither an option nor the value after one, such as an option without its dash.
void refuse_lone_words(const std::string& from_config, int argc, char** argv) {
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]));
  };
  const auto check = [&](const std::vector<std::string>& words, const char* key) {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (!is_option(words[i]) && (i == 0 || !is_option(words[i - 1])))
        throw base::UserError("'" + words[i] + "' is no PETSc option",
                              {.file = {}, .line = 0, .key = key, .advice = "Options look like -name or -name value."});
  };
  std::istringstream stream(from_config);
  check({std::istream_iterator<std::string>(stream), {}}, "solver.petsc_options");
  check({argv + 1, argv + argc}, "after --");
}

/// Order of precedence: command line, configuration, PETSC_OPTIONS and .petscrc; then the program's defaults, which the
/// linear solver adds where it needs them.
void insert_petsc_options(const std::string& from_config, int argc, char** argv) {
  refuse_lone_words(from_config, argc, argv);
  try {
    if (!from_config.empty()) LIMBER_PETSC(PetscOptionsInsertString(nullptr, from_config.c_str()));
    if (argc > 1) LIMBER_PETSC(PetscOptionsInsertArgs(nullptr, argc - 1, argv + 1));
  } catch (const base::InternalError& e) {
    throw base::UserError(
        std::string("PETSc does not accept the options: ") + e.what(),
        {.file = {}, .line = 0, .key = "solver.petsc_options", .advice = "Options look like -name value."});
  }
  PetscBool wanted = PETSC_FALSE;
  LIMBER_PETSC(PetscOptionsHasName(nullptr, nullptr, "-log_view", &wanted));
  if (wanted) LIMBER_PETSC(PetscLogDefaultBegin());
}

/// A misspelled PETSc option has no effect and would go unnoticed.
void warn_of_unused_options() {
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  LIMBER_PETSC(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  for (PetscInt i = 0; i < count; ++i)
    if (!solvers::is_default_option(names[i]) && std::string_view(names[i]) != "options_left")
      spdlog::warn("PETSc option -{} was not used: misspelled, or not needed by this solver", names[i]);
  LIMBER_PETSC(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
}

int run(MPI_Comm comm, Arguments& arguments, int petsc_argc, char** petsc_argv) {
  base::start_log(comm, arguments.run.quiet);
  auto scene = load(comm, arguments);
  insert_petsc_options(scene.options.solver.petsc_options, petsc_argc, petsc_argv);
  const std::string directory = scene.options.output.directory, name = scene.options.name;
  Simulation simulation(comm, std::move(scene));
  catch_interrupts();
  const ExitCode code = simulation.run(arguments.run);
  if (code == ExitCode::done) spdlog::info("done: {}/{}.pvd", directory, name);
  warn_of_unused_options();
  return int(code);
}

int check(MPI_Comm comm, Arguments& arguments, int petsc_argc, char** petsc_argv) {
  base::start_log(comm, false);
  auto scene = load(comm, arguments);
  insert_petsc_options(scene.options.solver.petsc_options, petsc_argc, petsc_argv);
  const Simulation simulation(comm, std::move(scene));
  spdlog::info(simulation.describe());
  spdlog::info(simulation.describe_quality());
  spdlog::info("{}: no errors found", arguments.config);
  return int(ExitCode::done);
}

int info(MPI_Comm comm, const Arguments& arguments) {
  base::start_log(comm, false);
  base::all_or_throw(comm, [&] {
    if (base::rank(comm) == 0) spdlog::info(mesh::text(mesh::report_mesh_file(arguments.mesh, arguments.element_size)));
  });
  return int(ExitCode::done);
}

int print(MPI_Comm comm, const std::string& text) {
  if (base::rank(comm) == 0) std::fputs(text.c_str(), stdout);
  return int(ExitCode::done);
}

std::string version_text() {
  std::string text;
  for (const auto& [name, version] : versions()) text += name + " " + version + "\n";
  return text;
}

int fail(MPI_Comm comm, ExitCode code, const std::string& text) {
  if (base::rank(comm) == 0) std::fprintf(stderr, "limber: %s\n", text.c_str());
  spdlog::default_logger()->flush();
  return int(code);
}

} // namespace

int run_command_line(int argc, char** argv, int petsc_argc, char** petsc_argv) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  Arguments arguments;
  for (int i = 0; i < argc; ++i) arguments.run.command += (i > 0 ? " " : "") + std::string(argv[i]);

  CLI::App app("limber: implicit simulation of elastic bodies, on clusters.\n"
               "Options after -- go to PETSc.",
               "limber");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  auto* run_command = app.add_subcommand("run", "Run a simulation");
  auto* check_command = app.add_subcommand("check", "Validate a configuration and its meshes; solve nothing");
  auto* schema_command = app.add_subcommand("schema", "Print all configuration keys");
  auto* info_command = app.add_subcommand("info", "Say what a mesh file holds");
  info_command->add_option("mesh", arguments.mesh, "Mesh or geometry file")->required();
  info_command
      ->add_option(
          "--element-size", arguments.element_size,
          "Size of the tetrahedra where a geometry or a surface is meshed; in file units, in m for STEP and IGES")
      ->check(CLI::PositiveNumber);
  for (auto* command : {run_command, check_command}) {
    command->add_option("config", arguments.config, "Configuration file (YAML)")->required();
    command->add_option("--set", arguments.overrides, "path.to.key=value, overrides the configuration; repeatable")
        ->expected(1)
        ->take_all();
    command->add_option("--output", arguments.output, "Output folder, overrides output.directory");
  }
  auto* restart =
      run_command->add_option("--restart", arguments.run.checkpoint,
                              "Continue from a checkpoint file, or from the latest one in the output folder");
  restart->expected(0, 1);
  auto* overwrite =
      run_command->add_flag("--overwrite", arguments.run.overwrite, "Replace the files of an earlier run");
  overwrite->excludes(restart);
  run_command->add_flag("--quiet", arguments.run.quiet, "Print warnings and errors only");
  schema_command->add_option("--format", arguments.schema_format, "yaml-doc or json-schema")
      ->check(CLI::IsMember({"yaml-doc", "json-schema"}));

  const auto known = app.get_subcommands([](const CLI::App*) { return true; });
  if (argc > 1 && argv[1][0] != '-' &&
      std::none_of(known.begin(), known.end(), [&](const CLI::App* command) { return command->get_name() == argv[1]; }))
    return fail(comm, ExitCode::user_error,
                fmt::format("unknown command '{}': expected run, check, info or schema (limber --help)", argv[1]));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 prints help and versions through the same path, with exit code 0.
    const bool is_error = e.get_exit_code() != 0;
    if (base::rank(comm) == 0) app.exit(e);
    return int(is_error ? ExitCode::user_error : ExitCode::done);
  }
  arguments.run.restart = restart->count() > 0;

  try {
    if (*run_command) return run(comm, arguments, petsc_argc, petsc_argv);
    if (*info_command) return info(comm, arguments);
    if (*check_command) return check(comm, arguments, petsc_argc, petsc_argv);
    return print(comm, arguments.schema_format == "json-schema" ? config::schema_as_json_schema()
                                                                : config::schema_as_yaml_doc());
  } catch (const base::UserError& e) {
    return fail(comm, ExitCode::user_error, e.what());
  } catch (const base::IoError& e) {
    return fail(comm, ExitCode::io_error, e.what());
  }
}

} // namespace limber::app
