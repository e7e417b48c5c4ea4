#include "base/log.hpp"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/collective.hpp"
#include "base/error.hpp"

namespace limber::base {
namespace {

/// Messages below warning to stdout, so that stderr stays for what needs attention.
class StdoutBelowWarning : public spdlog::sinks::stdout_sink_mt {
public:
  void log(const spdlog::details::log_msg& message) override {
    if (message.level < spdlog::level::warn) spdlog::sinks::stdout_sink_mt::log(message);
  }
};

spdlog::sink_ptr file_sink;

} // namespace

void start_log(MPI_Comm comm, bool quiet) {
  std::shared_ptr<spdlog::logger> logger;
  if (rank(comm) == 0) {
    auto out = std::make_shared<StdoutBelowWarning>();
    out->set_pattern("%v");
    if (quiet) out->set_level(spdlog::level::warn);
    auto err = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    err->set_pattern("limber: %l: %v");
    err->set_level(spdlog::level::warn);
    logger = std::make_shared<spdlog::logger>("limber", spdlog::sinks_init_list{out, err});
  } else {
    logger = std::make_shared<spdlog::logger>("limber", std::make_shared<spdlog::sinks::null_sink_mt>());
    logger->set_level(spdlog::level::off);
  }
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void log_to_file(const std::string& path) {
  if (spdlog::default_logger()->level() == spdlog::level::off) return;
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    sink->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
    spdlog::default_logger()->sinks().push_back(sink);
    file_sink = sink;
  } catch (const spdlog::spdlog_ex& e) {
    throw IoError("cannot write " + path + ": " + e.what());
  }
}

void log_to_file_only(const std::string& line) {
  if (file_sink) file_sink->log(spdlog::details::log_msg("limber", spdlog::level::info, line));
}

} // namespace limber::base
