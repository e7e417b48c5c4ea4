#include <gtest/gtest.h>
#include <limits>

#include "base/error.hpp"
#include "output/statistics.hpp"
#include "output_test_support.hpp"

namespace limber::output {
namespace {

using namespace output_test;

const std::string header =
    "step,time,time_step,newton_iterations,linear_iterations,line_search_evaluations,residual,kinetic_energy,"
    "elastic_energy,gravity_energy,contact_energy,friction_energy,total_energy,momentum_x,momentum_y,momentum_z,"
    "angular_momentum_x,angular_momentum_y,angular_momentum_z,contact_pairs,min_distance,min_jacobian,step_seconds,"
    "load_energy,load_work,boundary_work,dissipated_energy,energy_balance\n";

StepStatistics row(std::int64_t step) {
  StepStatistics statistics;
  statistics.step = step;
  statistics.time = 0.1 * static_cast<double>(step);
  return statistics;
}

std::string empty_row(const std::string& step, const std::string& time) {
  return step + "," + time + std::string(26, ',') + "\n";
}

TEST(Statistics, WritesEveryColumnInItsPlace) {
  const Folder folder;
  {
    StatisticsWriter writer(comm, folder.path());
    StepStatistics full{.step = 3,
                        .time = 0.1 + 0.2,
                        .time_step = 0.1,
                        .newton_iterations = 4,
                        .linear_iterations = 50,
                        .line_search_evaluations = 6,
                        .residual = 7e-8,
                        .kinetic_energy = 8.0,
                        .elastic_energy = 9.5,
                        .gravity_energy = -10.0,
                        .contact_energy = 11.0,
                        .friction_energy = 12.0,
                        .total_energy = 1.0 / 3.0,
                        .momentum = Vector3{14, 15, 16},
                        .angular_momentum = Vector3{17, 18, 19},
                        .contact_pairs = 20,
                        .min_distance = 1e-21,
                        .min_jacobian = std::numeric_limits<double>::quiet_NaN(),
                        .step_seconds = 0.23,
                        .load_energy = -24.0,
                        .load_work = 25.0,
                        .boundary_work = 26.0,
                        .dissipated_energy = 27.0,
                        .energy_balance = 28.0};
    if (rank() != 0) full = row(99); // only rank 0 counts
    writer.append(full);
    EXPECT_EQ(read_text(folder / "statistics.csv"),
              header + "3,0.30000000000000004,0.1,4,50,6,7e-08,8,9.5,-10,11,12,0.3333333333333333,14,15,16,17,18,19,20,"
                       "1e-21,nan,0.23,-24,25,26,27,28\n")
        << "the row must be in the file at once";
    MPI_Barrier(comm);
    writer.append(row(4));
  }
  const std::string text = read_text(folder / "statistics.csv");
  EXPECT_EQ(text.substr(text.find("\n4,") + 1), empty_row("4", "0.4"));
}

TEST(Statistics, RestartDropsLaterAndTornRows) {
  const Folder folder;
  write_text(folder / "statistics.csv", header + empty_row("0", "0") + empty_row("9", "0.9") + empty_row("10", "1") +
                                            empty_row("11", "1.1") + "12,1.");
  {
    StatisticsWriter writer(comm, folder.path(), 10);
    writer.append(row(11));
  }
  EXPECT_EQ(read_text(folder / "statistics.csv"),
            header + empty_row("0", "0") + empty_row("9", "0.9") + empty_row("10", "1") + empty_row("11", "1.1"));
  EXPECT_EQ(list(folder.path()), std::vector<std::string>{"statistics.csv"});
}

TEST(Statistics, FreshStartAndRestartElsewhere) {
  const Folder folder;
  { StatisticsWriter writer(comm, folder.path(), 10); }
  EXPECT_EQ(read_text(folder / "statistics.csv"), header);
  MPI_Barrier(comm);
  write_text(folder / "statistics.csv", header + empty_row("0", "0"));
  { StatisticsWriter writer(comm, folder.path()); }
  EXPECT_EQ(read_text(folder / "statistics.csv"), header);
}

TEST(Statistics, RefusesOtherColumns) {
  const Folder folder;
  write_text(folder / "statistics.csv", "step,time\n0,0\n");
  const auto text = error_of<base::UserError>([&] { StatisticsWriter writer(comm, folder.path(), 10); });
  EXPECT_NE(text.find("statistics.csv:1"), std::string::npos) << text;
  EXPECT_EQ(read_text(folder / "statistics.csv"), "step,time\n0,0\n");
}

TEST(Statistics, FailuresReachEveryRank) {
  const Folder folder;
  EXPECT_NE(error_of<base::IoError>([&] { StatisticsWriter writer(comm, folder / "absent"); }), "");

  StatisticsWriter writer(comm, folder.path());
  writer.append(row(0));
  std::string text;
  {
    const FullDisk full(header.size() + 30); // room for row 0 and a part of row 1
    text = error_of<base::IoError>([&] { writer.append(row(1)); });
  }
  EXPECT_NE(text.find("statistics.csv"), std::string::npos);
  EXPECT_EQ(read_text(folder / "statistics.csv"), header + empty_row("0", "0"));
}

} // namespace
} // namespace limber::output
