"""scripts/check_structure.py: a clean tree passes, and each violation is found in a bad one."""
import tempfile
import unittest
from pathlib import Path

from script_runner import run_script

CLEAN = {
    "src/base/types.hpp": "#pragma once\nnamespace limber {\n}\n",
    "src/base/petsc.hpp": "#pragma once\n#include <petscsnes.h>\nnamespace limber::base {\n}\n",
    "src/math/svd.hpp": '#pragma once\n#include <cmath>\n#include "base/types.hpp"\nnamespace limber::math {\n}\n',
    "src/mesh/mesh.cpp": '#include "base/petsc.hpp"\n#include "math/svd.hpp"\n'
                         "namespace limber::base { class Archive; }\nnamespace limber::mesh {\n}\n",
    "src/solvers/admm/admm.cpp": '#include "solvers/admm/admm.hpp"\nnamespace limber::solvers {\n}\n',
    "src/solvers/admm/admm.hpp": "#pragma once\n",
    "src/math/table.generated.hpp": "#pragma once\n" + "// derivative\n" * 700,
}


class CheckStructure(unittest.TestCase):
    def check(self, **bad):
        """Runs the check over the clean tree with some files replaced or added (__ stands for /)."""
        with tempfile.TemporaryDirectory() as folder:
            files = dict(CLEAN, **bad)
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return run_script("check_structure.py", folder)

    def refuse(self, name, text, message):
        code, output = self.check(**{name: text})
        self.assertEqual(code, 1, output)
        self.assertEqual(output.count("\n"), 1, output)
        self.assertIn(name, output)
        self.assertIn(message, output)

    def test_clean_tree(self):
        self.assertEqual(self.check(), (0, ""))

    def test_this_tree(self):
        self.assertEqual(run_script("check_structure.py"), (0, ""))

    def test_folder_order(self):
        self.refuse("src/mesh/a.cpp", '#include "solvers/newton.hpp"\n', "mesh comes before solvers")

    def test_unknown_folder(self):
        self.refuse("src/extras/a.cpp", "\n", "not in one of the folders")

    def test_plain_name(self):
        self.refuse("src/mesh/a.cpp", '#include "mesh.hpp"\n', 'write "folder/file.hpp"')

    def test_own_header_in_angles(self):
        self.refuse("src/mesh/a.cpp", "#include <base/types.hpp>\n", 'write "base/types.hpp"')

    def test_relative_include(self):
        self.refuse("src/mesh/a.cpp", '#include "../base/types.hpp"\n', 'includes "../base/types.hpp"')
        self.refuse("tests/unit/a.cpp", '#include "../../src/base/types.hpp"\n', "write")

    def test_namespace(self):
        self.refuse("src/mesh/a.cpp", "namespace limber::dofs {\n}\n", "namespace limber::dofs in the folder mesh")
        self.refuse("src/mesh/a.cpp", "namespace limber {\n}\n", "namespace limber in the folder mesh")
        # A definition is no forward declaration, though it stands on one line.
        self.refuse("src/mesh/a.cpp", "namespace limber::base { struct A {}; }\n", "in the folder mesh")

    def test_pragma_once(self):
        self.refuse("src/mesh/a.hpp", "namespace limber::mesh {\n}\n", "without #pragma once")

    def test_length(self):
        self.assertEqual(self.check(**{"src/mesh/a.cpp": "\n" * 600})[0], 0)
        self.refuse("src/mesh/a.cpp", "\n" * 601, "601 lines")
        self.refuse("tests/unit/a.py", "\n" * 601, "601 lines")

    def test_kernels(self):
        self.refuse("src/materials/a.hpp", "#pragma once\n#include <mpi.h>\n", "a kernel reaches mpi.h")
        self.refuse("src/math/a.hpp", "#pragma once\n#include <cuda_runtime.h>\n", "a kernel reaches cuda_runtime.h")
        self.refuse("src/energies/a.hpp", '#pragma once\n#include "base/petsc.hpp"\n',
                    "a kernel reaches base/petsc.hpp -> petscsnes.h")


if __name__ == "__main__":
    unittest.main()
