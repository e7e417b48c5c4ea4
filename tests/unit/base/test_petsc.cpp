#include <gtest/gtest.h>

#include "base/petsc.hpp"

namespace limber::base {
namespace {

TEST(ToPetscInt, RefusesWhatDoesNotFit) {
  const GlobalIndex largest = std::numeric_limits<PetscInt>::max();
  EXPECT_EQ(to_petsc_int(largest), std::numeric_limits<PetscInt>::max());
  EXPECT_EQ(to_petsc_int(-5), -5);
  if (sizeof(PetscInt) < sizeof(GlobalIndex)) {
    EXPECT_THROW(to_petsc_int(largest + 1), UserError);
  }
}

TEST(Handle, OwnsOneObject) {
  VecHandle a;
  EXPECT_EQ(a.get(), nullptr);
  LIMBER_PETSC(VecCreateSeq(PETSC_COMM_SELF, 2, a.out()));
  Vec raw = a.get();
  PetscInt references = 0;
  LIMBER_PETSC(PetscObjectReference((PetscObject)raw)); // so that the counter outlives the handles
  VecHandle b = std::move(a);
  EXPECT_EQ(b.get(), raw);
  b = VecHandle();
  LIMBER_PETSC(PetscObjectGetReference((PetscObject)raw, &references));
  EXPECT_EQ(references, 1);
  LIMBER_PETSC(VecDestroy(&raw));
}

TEST(PetscErrors, BecomeExceptionsWithPetscsOwnWords) {
  quiet_petsc_errors();
  VecHandle v;
  LIMBER_PETSC(VecCreateSeq(PETSC_COMM_SELF, 2, v.out()));
  std::string text;
  try {
    LIMBER_PETSC(VecSetType(v, "no_such_type"));
  } catch (const UserError& e) { // only an option can name a type that does not exist
    text = e.what();
  }
  EXPECT_NE(text.find("no_such_type"), std::string::npos) << text;
  EXPECT_NE(text.find("Unknown"), std::string::npos) << text;
  text.clear();
  try {
    LIMBER_PETSC(VecSetSizes(v, 3, 2)); // more local entries than global ones
  } catch (const InternalError& e) {
    text = e.what();
  }
  EXPECT_NE(text.find("VecSetSizes(v, 3, 2)"), std::string::npos) << text;
  LIMBER_PETSC(PetscPopErrorHandler());
}

TEST(LogStage, MayNestAndRepeat) {
  for (int i = 0; i < 2; ++i) {
    LogStage outer("test outer");
    LogStage inner("test inner");
  }
  PetscLogStage stage = -1;
  LIMBER_PETSC(PetscLogStageGetId("test inner", &stage));
  EXPECT_GE(stage, 0);
}

} // namespace
} // namespace limber::base
