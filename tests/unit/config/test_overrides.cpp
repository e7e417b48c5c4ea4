#include <gtest/gtest.h>

#include "config/overrides.hpp"
#include "sample.hpp"

namespace limber::config::testing {
namespace {

SceneOptions with(const std::vector<std::string>& overrides) {
  return load_scene(sample, "dir/scene.yaml", overrides).options;
}

TEST(Overrides, ChangeValues) {
  EXPECT_EQ(with({"simulation.time_step=1e-3"}).time.time_step, 1e-3);
  EXPECT_EQ(with({"simulation.gravity=[1, 2, 3]"}).time.gravity_at(0.0), (Vector3{1, 2, 3}));
  EXPECT_EQ(with({"simulation.gravity[1]=7"}).time.gravity_at(0.0), (Vector3{0, 7, -9.81}));
  EXPECT_EQ(with({"simulation.gravity[1]=4*t"}).time.gravity_at(0.5), (Vector3{0, 2, -9.81}));
  EXPECT_EQ(with({"bodies[1].material.density=5"}).bodies[1].material.density, 5.0);
  EXPECT_EQ(with({"bodies.1.material.density=5"}).bodies[1].material.density, 5.0);
  EXPECT_EQ(with({"bodies.ball.material.density=5"}).bodies[1].material.density, 5.0);
  EXPECT_EQ(with({"boundary_conditions.pull.until=1.5"}).conditions[1].until, 1.5);
  EXPECT_EQ(with({"bodies[0].mesh.box.max[0]=8"}).bodies[0].mesh.source.shape.index(), 1U);
  EXPECT_EQ(with({"bodies[1].mass=lumped"}).bodies[1].mass.kind, dofs::MassKind::lumped);
  EXPECT_EQ(with({"solver.petsc_options=-ksp_rtol 1e-6 -x a=b"}).solver.petsc_options, "-ksp_rtol 1e-6 -x a=b");
}

TEST(Overrides, ChangeExpressionsAndBooleans) {
  const double X[3] = {1.0, 2.0, 3.0};
  const auto motion = [&](const std::vector<std::string>& overrides) {
    const auto c = with(overrides).conditions[1];
    return Vector3{c.motion[0](4.0, X), c.motion[1](4.0, X), c.motion[2](4.0, X)};
  };
  EXPECT_EQ(motion({"boundary_conditions.pull.velocity=[t, \"min(x, y)\", 5]"}), (Vector3{4, 1, 5}));
  EXPECT_EQ(motion({"boundary_conditions.pull.velocity[2]=z*t"}), (Vector3{0, 0, 12}));
  EXPECT_FALSE(with({"simulation.integrator=static", "simulation.ramp=false", "bodies.ball.initial.velocity=[0, 0, 0]",
                     "bodies.ball.initial.angular_velocity=[0, 0, 0]"})
                   .time.ramp);
  const std::string load = "boundary_conditions.hold.";
  const auto air = with({load + "type=pressure", load + "value=1e3*t"}).conditions[2];
  EXPECT_EQ(air.pressure(4.0, X), 4e3);
  const auto wind = with({load + "type=traction", load + "value=[1, 2, 3]", load + "value[1]=t"}).conditions[2];
  EXPECT_EQ(wind.value[1](4.0, X), 4.0);
  EXPECT_EQ(with({"output.probes=[{name: tip, body: bar, point: [1, 2, 3]}]", "output.probes.tip.point[0]=7"})
                .output.probes.at(0)
                .point,
            (Vector3{7, 2, 3}));
}

TEST(Overrides, LaterOnesWin) {
  EXPECT_EQ(with({"simulation.time_step=1", "simulation.time_step=0.25"}).time.time_step, 0.25);
}

TEST(Overrides, MakeWhatTheDocumentDoesNotHave) {
  EXPECT_EQ(with({"parallel.seed=7"}).parallel.seed, 7);
  EXPECT_EQ(with({"bodies[0].transform.rotate.degrees=90"}).bodies[0].mesh.transform.rotation_degrees, 90.0);
  EXPECT_EQ(with({"bodies[0].initial.velocity[0]=3"}).bodies[0].initial.velocity, (Vector3{3, 0, 0}));
  const auto mass = with({"bodies[0].mass=lumped", "bodies[0].mass.per_node=2"}).bodies[0].mass; // a word gives way
  EXPECT_EQ(mass.kind, dofs::MassKind::per_node);
  EXPECT_EQ(mass.per_node, 2.0);
}

struct BadOverride {
  std::string assignment;
  std::string key;
  std::string part;
};

TEST(Overrides, BadOnesAreLocatedOnTheCommandLine) {
  const std::vector<BadOverride> table{
      {"simulation.timestep=1", "simulation.timestep: ", "'time_step'"},
      {"simulaton.time_step=1", "simulaton.time_step: ", "'simulation'"},
      {"contact.enabled=true", "contact.enabled: ", "not available in this version"},
      {"simulation.time_step=-1", "simulation.time_step: ", "above 0 [s]"},
      {"simulation.time_step=abc", "simulation.time_step: ", "'abc'"},
      {"simulation.time_step=", "simulation.time_step: ", "found nothing"},
      {"simulation.time_step.x=1", "simulation.time_step.x: ", "nothing below"},
      {"simulation.gravity=[1, 2", "simulation.gravity: ", "not valid YAML"},
      {"simulation.gravity=[1, 2]", "simulation.gravity: ", "a list of 2"},
      {"simulation.gravity[3]=1", "simulation.gravity[3]: ", "from 0 to 2"},
      {"bodies[2].mass=lumped", "bodies[2].mass: ", "from 0 to 1"},
      {"bodies.boll.mass=lumped", "bodies.boll.mass: ", "nearest: ball"},
      {"bodies[0].material.lame_mu=1", "bodies[0].material.lame_mu: ", "found beside youngs_modulus"},
      {"bodies[0].material={density: 1, densit: 2, lame_mu: 1, lame_lambda: 1}",
       "bodies[0].material.densit: ", "'density'"},
      {"boundary_conditions.pull.velocity[2]=u*t", "boundary_conditions[1].velocity[2]: ", "unknown name 'u'"},
      {"boundary_conditions.pull.value=3", "boundary_conditions[1].value: ", "only with `type: traction"},
      {"boundary_conditions.pull.ramp=on", "boundary_conditions[1].ramp: ", "true or false"},
      {"bodies[0.mass=lumped", "", "path.to.key=value"},
      {"bodies[]=lumped", "", "path.to.key=value"},
      {"simulation..name=x", "", "path.to.key=value"},
      {"simulation.name.=x", "", "path.to.key=value"},
      {"simulation.name", "", "path.to.key=value"},
      {"=3", "", "path.to.key=value"},
  };
  for (const auto& bad : table) {
    const auto what = error_of(sample, {bad.assignment});
    EXPECT_EQ(what.rfind("--set " + bad.assignment + ": " + bad.key, 0), 0U) << bad.assignment << "\n" << what;
    EXPECT_NE(what.find(bad.part), std::string::npos) << bad.assignment << "\n" << what;
    EXPECT_EQ(count(what, "scene.yaml"), 0U) << what;
  }
}

TEST(Overrides, ErrorsOfTheFileComeFirst) {
  const auto what = error_of(changed("density: 900", "density: -1"), {"simulation.time_step=0"});
  EXPECT_EQ(what.rfind("dir/scene.yaml:13: bodies[1].material.density", 0), 0U) << what;
  EXPECT_NE(what.find("\n--set simulation.time_step=0: simulation.time_step: "), std::string::npos) << what;
}

TEST(Overrides, DoNotHideAFileOfTheWrongKind) {
  const auto what = error_of("words", {"simulation.time_step=1"});
  EXPECT_EQ(what.rfind("dir/scene.yaml:1: found 'words'", 0), 0U) << what;
}

} // namespace
} // namespace limber::config::testing
