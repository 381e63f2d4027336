import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_command_line_starts_without_torch_and_haystack_has_it_when_it_asks():
    code = (
        "import sys, app.cli, haystack; before = 'torch' in sys.modules; "
        "from haystack.utils.device import ComponentDevice, Device; d = ComponentDevice.from_single(Device.cpu()).to_torch(); "
        "import torch; print(before, type(torch).__name__, d == torch.device('cpu'))"
    )
    assert run(code) == "False module True"


@pytest.mark.parametrize("before", ["import torch_double as torch; sys.modules['torch'] = torch", "sys.modules['torch'] = None", "pass"])
def test_what_is_there_already_is_left_alone(before, tmp_path):
    (tmp_path / "torch_double.py").write_text("there = True\n")
    (tmp_path / "torch.py").write_text("value = 7\n")
    (tmp_path / "user.py").write_text("import torch\n\ndef value(): return torch.value\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import app.torch_later as t\n"
        f"sys.meta_path.insert(0, t.WithoutTorch('user'))\n{before}\n"
        "try:\n    import user\nexcept ImportError:\n    print('no torch'); sys.exit()\n"
        "held = type(user.torch).__name__, 'value' in vars(sys.modules.get('torch', sys))\n"
        "print(*held, getattr(sys.modules.get('torch'), 'there', None) or user.value())"
    )
    assert run(code) == {"pass": "Later False 7", "sys.modules['torch'] = None": "no torch"}.get(before, "module False True")
