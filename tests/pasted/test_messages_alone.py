"""Messages without a traceback, in the words of libraries and shells: who says it, what it means."""

# ruff: noqa: E501  (one row a message: a table is read across)

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dl_bug_lsp.localize import localize
from dl_bug_lsp.views import words
from dl_bug_lsp.workspace import Workspace

ALONE = [
    # What TensorRT says before it gives up, MATLAB, GPUs without kernels, items of lists.
    (
        "[TRT] [E] 4: [graph.cpp::analyze::9] Error Code 4: Miscellaneous (IShuffleLayer R: reshape changes volume. Reshaping [1,3,20] to [1,5].)\n[TRT] [E] Building engine failed\n",
        "reshape changes volume",
        "tensor_mismatch",
    ),
    (
        "[E] Error[6]: [engine.cpp::deserialize::60] Error Code 6: API Usage Error (The engine plan file is not compatible with this version of TensorRT, please rebuild.)\n[E] Engine set up failed\n",
        "engine plan file",
        "version_conflict",
    ),
    (
        "[TRT] [E] IBuilder::build: Error Code 4: Internal Error (plugin node /NMS requires 12884901888 bytes of scratch space, but only 8000000000 is available.)\n[TRT] [E] Engine could not be created from network\n",
        "bytes of scratch space",
        "gpu_out_of_memory",
    ),
    (
        'Error using horzcat\nOut of memory. Type "help memory" for your options.\n\nError in features (line 41)\n    X = [X f];\n',
        "Out of memory. Type",
        "cpu_out_of_memory",
    ),
    (
        "Error using trainNetwork (line 184)\nInvalid training data. The output size (10) of the last layer does not match the number of classes (9).\n\nError in leaves (line 30)\n",
        "does not match the number of classes",
        "tensor_mismatch",
    ),
    (
        "We see this: \nError using zeros Requested 1x99 (7GB) array exceeds maximum array size preference. See the preference panel. Error in grad (line 3) T = zeros(1,n); Error in train (line 9)\n",
        "Requested 1x99 (7GB) array exceeds maximum array size preference. See the preference panel.",
        "cpu_out_of_memory",
    ),
    (
        "RuntimeError: FlashInfer: unsupported architecture sm_70 for fp8 attention\n",
        "unsupported architecture",
        "version_conflict",
    ),
    (
        "[E ProcessGroupGloo.cpp:138] Gloo connectFullMesh failed with [pair.cc:144] no error\nterminate called after throwing an instance of 'std::runtime_error'\n",
        "connectFullMesh failed",
        "communication_failure",
    ),
    (
        "terminate called after throwing an instance of 'std::bad_alloc'\n",
        "std::bad_alloc",
        "cpu_out_of_memory",
    ),
    (
        "Two errors, one after the other\n1. `ValueError: bad shape (3, 4)`\n2. `KeyError: 'image'`\n",
        "'image'",
        "key_not_found",
    ),
    # Classes that their module shows, values that exceptions hold, CUDA's libraries, what is given to a program.
    (
        "pkg.core.errors.SpilledOver: out of resource: shared memory, Required: 9, Hardware limit: 8\n",
        "out of resource",
        "gpu_out_of_memory",
    ),
    (
        "[01:02:03] app/ERROR OutOfResources: out of resource: shared memory, Required: 9, Hardware limit: 8\n",
        "out of resource: shared memory",
        "gpu_out_of_memory",
    ),
    (
        "ERROR: BoundsError with 7:\nattempt to access 3-element Vector{Float64} at index [7]\n",
        "attempt to access",
        "illegal_index",
    ),
    (
        "运行时valueERROR：could not convert string to float: 'red'\n",
        "could not convert string to float",
        "type_mismatch",
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: cuFFT plan failed\n",
        "cuFFT plan",
        "version_conflict",
    ),
    (
        "E0101 k.cc:3] cudaError_t 4 : \"unspecified launch failure\" returned from 'cudaMemset(p)'\n",
        "unspecified launch failure",
        "hardware_failure",
    ),
    (
        "RuntimeError: CUDA error: invalid configuration argument\n",
        "invalid configuration argument",
        "illegal_argument",
    ),
    (
        "run failed: [ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got invalid dimensions for input: x for the following indices\n index: 1 Got: 5 Expected: 3\n",
        "Got invalid dimensions",
        "tensor_mismatch",
    ),
    (
        'Traceback (most recent call last):\n  File "go.py", line 3, in <module>\n    n = int(os.environ["N"])\nValueError: invalid literal for int() with base 10: \'a b\'\n',
        "invalid literal",
        "illegal_argument",
    ),
    (
        "ValueError: [E002] Can't find factory for 'tagger2' for language English (en).\n",
        "Can't find factory",
        "key_not_found",
    ),
    (
        "ValueError: Expect item 3 and 5 to have the same edge attributes, got {'w'} and set()\n",
        "same edge attributes",
        "corrupt_data",
    ),
    # Assertions of older kernels, a scheduler's service, carried classes, boosting, words for an index.
    (
        "/opt/src/THC/THCTensorIndex.cu:360: void k(Info<float>) [with T = float]: block: [1,0,0], thread: [2,0,0] Assertion `indexValue >= 0 && indexValue < src.sizes[dim]` failed.\n",
        "indexValue >= 0",
        "illegal_index",
    ),
    (
        "/src/cuda/MultinomialKernel.cu:112: renormRowsL1: block: [0,0,0], thread: [1,0,0] Assertion `val >= zero` failed.\n",
        "val >= zero",
        "loss_nan",
    ),
    (
        "srun: error: Authentication: Munge decode failed: Invalid credential\nsrun: error: If munged is up, restart with --num-threads=10\n",
        "Munge decode failed",
        "communication_failure",
    ),
    (
        'Traceback (most recent call last):\n  File "tune.py", line 3, in <module>\n    ray.get(it)\nray.exceptions.RayTaskError(ZeroDivisionError): <no detail available>\n',
        "<no detail available>",
        "division_by_zero",
    ),
    (
        "[03:04:05] src/learner.cc:9: Check failed: weights.Size() == rows (3 vs. 4)\n",
        "Check failed: weights",
        "tensor_mismatch",
    ),
    # A status of a framework in a code span or behind its source's place.
    (
        "With many cells:\n`INTERNAL: Failed to execute XLA Runtime executable: CUDA_ERROR_ILLEGAL_ADDRESS`\nany idea?",
        "Failed to execute",
        None,
    ),
    (
        "W tensorflow/core/framework/op_kernel.cc:975] Invalid argument: Received a label value of 9 which is outside the valid range of [0, 9).\n",
        "label value of 9",
        "illegal_index",
    ),
    (
        "W tensorflow/core/framework/op_kernel.cc:1830] OP_REQUIRES failed at conv_ops.cc:1 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[8,9] on device:GPU:0 by allocator GPU_0_bfc\n",
        "OOM when allocating",
        "gpu_out_of_memory",
    ),
    (
        "\tsize mismatch for fc.weight: copying a param with shape torch.Size([4, 2]) from checkpoint, the shape in current model is torch.Size([3, 2]).\n",
        "size mismatch for fc.weight",
        "tensor_mismatch",
    ),
    (
        "E0101 09:00:00.1 7 cuda_dnn.cc:454] Loaded runtime CuDNN library: 8.9.1 but source was compiled with: 9.1.0.  CuDNN library needs to have matching major version\n",
        "Loaded runtime CuDNN",
        "version_conflict",
    ),
    (
        "[LightGBM] [Fatal] Length of label is not same with #data\n",
        "Length of label",
        "tensor_mismatch",
    ),
    (
        "step:4 loss:0.7**jobs/go.slurm: line 9: 4711 Killed        python train.py\n",
        "Killed",
        None,
    ),
    # Brackets within a message that stands in brackets, numbered roots, quotes within quotes.
    (
        "# Fails at once (TypeError: pack.<locals>.fn() missing 1 required positional argument: 'mask')\n\nsince the update\n",
        "pack.<locals>.fn() missing 1 required positional argument: 'mask'",
        "illegal_argument",
    ),
    (
        "(0) Resource exhausted: OOM when allocating tensor with shape[8,9] on device:GPU:0\n\t [[node a/b]]\n(1) Resource exhausted: OOM when allocating tensor with shape[8,9]\n",
        "OOM when allocating tensor",
        "gpu_out_of_memory",
    ),
    (
        'it stops with :"Missing key(s) in state_dict: "fc.weight", "fc.bias"".\n\nwhy?\n',
        'Missing key(s) in state_dict: "fc.weight"',
        "tensor_mismatch",
    ),
    # Words of a library behind what a person writes before them.
    (
        "# bug:index 7 is out of bounds for axis 0 with size 7\n\n- version 1.2\n",
        "index 7 is out of bounds for axis 0 with size 7",
        "illegal_index",
    ),
    (
        "[main.py:12] INFO run: [Rank 0] sample 4 CUDA error: no kernel image is available for execution on the device\n",
        "CUDA error: no kernel image",
        "version_conflict",
    ),
    (
        "step 1: 100%|##########| 9/9 [00:00<00:00]\nit ended with `ValueError: too many values to unpack (expected 2)` here\nstep 2: 100%|##########| 9/9 [00:00<00:00]\n",
        "too many values to unpack (expected 2)",
        "illegal_argument",
    ),
    # What a system says of a program that ended.
    (
        "[node:17] *** Process received signal ***\n[node:17] Signal: Segmentation fault (11)\n",
        "Segmentation fault",
        "process_killed",
    ),
    (
        "  Problem Event Name:\tAPPCRASH\n  Application Name:\tpython.exe\n",
        "APPCRASH",
        "process_killed",
    ),
    (
        "KernelRestarter: restarting kernel (1/5), keep random ports\n",
        "restarting kernel",
        "process_killed",
    ),
    (
        "building 'ops' extension\nops.cu\nerror: command '/usr/local/cuda/bin/nvcc' failed with exit status 1\n",
        "nvcc' failed with exit status 1",
        None,
    ),
    # Shells of other languages, what a sentence quotes of a shell, assertions of native code.
    ("run.sh：行 7：sinfo：未找到命令\n", "未找到命令", "library_not_found"),
    (
        "./go.sh: Zeile 3: mpirun: Kommando nicht gefunden.\n",
        "Kommando nicht gefunden",
        "library_not_found",
    ),
    (
        "train.sh: línea 4: cd: datos: No existe el archivo o el directorio\n",
        "No existe el archivo",
        "path_not_found",
    ),
    (
        'When I start it there is "go.sh: 2: mpirun: not found\n". What to do?\n',
        "mpirun: not found",
        "library_not_found",
    ),
    (
        "KERNEL_ASSERT: /src/ops/norm.cu:88: rows > 0\nzsh: abort      ./main -n 0\n",
        "norm.cu:88: rows > 0",
        None,
    ),
    (
        "ModuleCmd_Load.c(213):ERROR:105: Unable to locate a modulefile for 'gcc/9'\n",
        "modulefile for 'gcc/9'",
        "library_not_found",
    ),
    # A class whose message stands on the next line, within a sentence.
    (
        'I only get "UnsatisfiablePackageNotFound: \n  - pkg=1.0=cuda9"\n\nwhen it solves\n',
        "pkg=1.0=cuda9",
        "library_not_found",
    ),
    # A sentence that names no class.
    (
        "It dies: the error is 'NoneType' object has no attribute 'keys', help please",
        "'NoneType' object",
        "null_reference",
    ),
    (
        "Input 0 of layer dense is incompatible with the layer: expected axis -1 of input shape to have value 8, but received input with shape (None, 9)\n\nmy code\n",
        "incompatible with the layer",
        "tensor_mismatch",
    ),
    (
        "I am getting an unrecognized arguments: --gpu 0 error for the trainer since today.\n",
        "unrecognized arguments: --gpu",
        "illegal_argument",
    ),
    # Spaces, quotes and other scripts around a class.
    ("it reports error : KeyError : 'image' when the loader starts\n", "'image'", "key_not_found"),
    (
        'got: "Host.Exception: "ValueError : shapes (2,) and (3,) not aligned"".\n',
        "not aligned",
        "tensor_mismatch",
    ),
    (
        "一直报这个错AttributeError: 'NoneType' object has no attribute 'shape'，怎么办\n",
        "'NoneType' object",
        "null_reference",
    ),
    (
        "训练时报错：RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
        "CUDA out of memory",
        "gpu_out_of_memory",
    ),
    (
        "it throws Runtime Error: expected scalar type half but found float at once\n",
        "expected scalar type half",
        "type_mismatch",
    ),
    (
        "after an hour an OSError came up: [Errno 28] No space left on device\n",
        "No space left",
        "storage_exhausted",
    ),
    (
        "**Error received: ModuleNotFoundError: No module named 'timers'**\n\nversion 2\n",
        "No module named 'timers'",
        "library_not_found",
    ),
    (
        "Help me,,RuntimeError : the size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 3\n",
        "size of tensor a",
        "tensor_mismatch",
    ),
    (
        "# No module named 'torchvision.transforms.functional_tensor'\n\nThe name has been changed, which would cause an error.\n",
        "No module named",
        "library_not_found",
    ),
    (
        "nvcc fatal   : Unsupported gpu architecture 'compute_30'\nmake[2]: *** [Makefile:52: a.dep] Error 1\n",
        "Unsupported gpu architecture",
        "version_conflict",
    ),
    # Programs beside the training.
    (
        "error: external filter 'git-lfs filter-process' failed\nfatal: a/b.ckpt: smudge filter lfs failed\n",
        "smudge filter",
        None,
    ),
    (
        "fatal: unable to access 'https://example.org/a.git/': Could not resolve host: example.org\n",
        "unable to access",
        "communication_failure",
    ),
    (
        "fatal: not a git repository (or any of the parent directories): .git\n",
        "not a git repository",
        "path_not_found",
    ),
    (
        "run.sh: line 2: $'\\r': command not found\nrun.sh: line 9: syntax error: unexpected end of file\n",
        "command not found",
        "syntax_error",
    ),
    (
        "torchvision 0.6.0 requires torch==1.5.0, but you'll have torch 1.7.0 which is incompatible.\n",
        "requires torch==1.5.0",
        "version_conflict",
    ),
    (
        '#8 2.1 ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.\n#8 2.2 ERROR: ResolutionImpossible: for help visit the page\nDockerfile:3\nERROR: failed to solve: process "pip install" did not complete successfully: exit code: 1\n',
        "",
        "version_conflict",
    ),
    (
        "Program received signal SIGSEGV, Segmentation fault.\n#0  0x0 in ?? ()\n",
        "SIGSEGV",
        "process_killed",
    ),
    (
        "and get `Segmentation fault (core dumped)` at once\n",
        "Segmentation fault",
        "process_killed",
    ),
    (
        "[E socket.cpp:793] [c10d] The client socket has timed out after 60s while trying to connect to (10.0.0.1, 2222).\n",
        "client socket has timed out",
        "communication_failure",
    ),
    (
        'ERROR:errors.error_handler:{\n  "message": {\n    "message": "RuntimeError: Address already in use",\n',
        "Address already in use",
        "communication_failure",
    ),
    ("`The node was low on resource: memory.`\n", "low on resource", "cpu_out_of_memory"),
    ("pod-0   0/2     CrashLoopBackOff   8     2m\n", "CrashLoopBackOff", "unclassified"),
    (
        "/x/torch/cuda/__init__.py:115: UserWarning: CUDA initialization: CUDA driver initialization failed, you might not have a CUDA gpu.\nFalse\n",
        "CUDA driver initialization failed",
        "device_unavailable",
    ),
    (
        "xgboost.core.XGBoostError: value 0 for Parameter max_depth exceed bound [1,inf]\n",
        "exceed bound",
        "illegal_argument",
    ),
    (
        "xgboost.core.XGBoostError: [10:01:02] a.cu:76: Check failed: info.labels.Size() == ndata (0 vs. 4)\n",
        "Check failed",
        "tensor_mismatch",
    ),
    (
        "lightgbm.basic.LightGBMError: The number of features in data (3) is not the same as it was in training data (4).\n",
        "number of features",
        "tensor_mismatch",
    ),
    # A class on a line of its own, in other letters, with a reference, behind a verb.
    (
        "Exception has occurred KeyError\n'targets'\n\nIn the loader, line 4.\n",
        "targets",
        "key_not_found",
    ),
    (
        "then it says valueerror: Expected more than 1 value per channel when training\n",
        "Expected more than 1 value",
        None,
    ),
    (
        "NotFoundError (see above for traceback): Key fc/bias not found in checkpoint\n",
        "Key fc/bias",
        "tensor_mismatch",
    ),
    ("The last cell returned ZeroDivisionError at line 3, any help?\n", "", "division_by_zero"),
    (
        "It complained that shapes (3,4) and (5,6) not aligned: 4 (dim 1) != 5 (dim 0). Any idea why?\n",
        "not aligned: 4 (dim 1) != 5 (dim 0)",
        "tensor_mismatch",
    ),
    # A dialog's heading, a compiled file's symbol, a container's record, an inner message.
    (
        "Error reading labels\n'utf-8' codec can't decode byte 0x91 in position 3: invalid start byte\n",
        "codec can't decode",
        "unexpected_encoding",
    ),
    (
        "fails at once:\n/opt/x/lib/python3.9/site-packages/a_cuda.cpython-39-x86_64-linux-gnu.so: undefined symbol: _ZN2at1bEv\n",
        "undefined symbol: _ZN2at1bEv",
        "version_conflict",
    ),
    ('    "OOMKilled": false,\n    "ExitCode": 137,\n', '"ExitCode": 137', None),
    (
        "export fails, it prints `Writer error: module 'torch.onnx' has no attribute 'dynamo'`\n",
        "has no attribute 'dynamo'",
        "attribute_not_found",
    ),
    (
        "C:/b/Loss.cu:95: block: [7,0,0], thread: [1,0,0] Assertion `input_val >= zero && input_val <= one` failed.\n",
        "Assertion",
        "illegal_argument",
    ),
    # What a coordinator, a resolver, a parser of options or a format reports.
    (
        "INFO:tensorflow:Error reported to Coordinator: <class 'tensorflow.python.framework.errors_impl.InvalidArgumentError'>, Shape mismatch in tuple component 2. Expected [64,64,3], got [64,64,4]\n",
        "Shape mismatch in tuple component 2",
        "tensor_mismatch",
    ),
    (
        "Installing fails.\nThe conflict is caused by:\n    The user requested numpy==1.20\n    numba 0.57 depends on numpy>=1.21\n",
        "The conflict is caused by",
        "version_conflict",
    ),
    (
        'usage: tool [-h] {fit,test}\nerror: Parser key "trainer": Problem with given class_path\n',
        "Parser key",
        "illegal_argument",
    ),
    (
        "I get the error (now and then) -> 'NoneType' object has no attribute 'read'\n",
        "'NoneType' object has no attribute 'read'",
        "null_reference",
    ),
    (
        'File "h5py/h5f.pyx", line 88, in h5py.h5f.open\nOSError: Unable to open file (file signature not found)\n',
        "file signature not found",
        "corrupt_data",
    ),
    (
        "CUDA Error: CUDA driver version is insufficient for CUDA runtime version\nnet: ./src/cuda.c:36: check_error: Assertion `0' failed.\n",
        "driver version is insufficient",
        "version_conflict",
    ),
    (
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Got 3 frames, but animated gifs can only be decoded by tf.io.decode_gif for '{{node Png}} = DecodePng[channels=3, dtype=DT_UINT8](ReadFile)'\n",
        "animated gifs",
        "corrupt_data",
    ),
    (
        'First `b/read = Identity[T=DT_FLOAT, device="/gpu:0"]` failed, I renamed it, but then: "Input to reshape is a tensor with 3200 values, but the requested shape has 100". Why?\n',
        "Input to reshape is a tensor with 3200 values, but the requested shape has 100",
        "tensor_mismatch",
    ),
    # A class before its message in quotation marks; marks within them; italics; a doubled colon.
    (
        "I ran it and the TypeError \"unsupported operand type(s) for +: 'int' and 'str'\" comes in \"a + b\" each time.\n",
        "unsupported operand type(s) for +: 'int' and 'str'",
        "type_mismatch",
    ),
    (
        "please help!\n_AssertionError: The `num_classes` (5) in SomeHead does not match the length of `CLASSES` 4) in MyDataset_\n",
        "The `num_classes` (5) in SomeHead does not match",
        "illegal_argument",
    ),
    (
        "it has RuntimeError:  :expected tensor for argument #1 'a' to have the same device as tensor for argument #2 'b'\n",
        "expected tensor for argument #1",
        "framework_api_misuse",
    ),
    # What a library says within a warning, a log of an editor, a notebook's page.
    (
        ">>> torch.cuda.current_device()\n/lib/torch/cuda/__init__.py:9: UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).\n",
        "The NVIDIA driver on your system is too old",
        "version_conflict",
    ),
    (
        "My notebook says 'Your notebook tried to allocate more memory than is available. It has restarted.' after some minutes.\n",
        "Your notebook tried to allocate more memory than is available",
        "cpu_out_of_memory",
    ),
    (
        "\tsize mismatch for fc.bias: copying a param with shape torch.Size([4]) from checkpoint, the shape in current model is torch.Size([3]).\nterminate called without an active exception\n\nProcess finished with exit code 134 (interrupted by signal 6: SIGABRT)\n",
        "size mismatch for fc.bias",
        "tensor_mismatch",
    ),
    (
        "ValueError: some text of a check\nMakefile:12: recipe for target 'all' failed\nmake: *** [all] Error 1\n",
        "some text of a check",
        None,
    ),
    # Windows about a crash in its languages, a dialog above a message, a newer model's file, symbols of other versions.
    (
        "Unhandled exception at 0x00007FFA0CAB62D1 (torch_cpu.dll) in app.exe: 0xC0000005: Access violation writing location 0x0000000000000008.\n",
        "0xC0000005: Access violation writing",
        "process_killed",
    ),
    (
        "Ausnahme ausgelöst bei 0x00007FF8 (x.dll) in demo.exe: 0xC0000374: Ein Heap wurde beschädigt.\n",
        "0xC0000374",
        "process_killed",
    ),
    (
        'got prompt\n!!! Exception during processing !!! mat1 and mat2 shapes cannot be multiplied (77x768 and 2048x320)\nTraceback (most recent call last):\n  File "/a/execution.py", line 349, in execute\n    go(obj)\n  File',
        "mat1 and mat2 shapes",
        "tensor_mismatch",
    ),
    (
        '!!! Exception during processing !!! \'cond_stage\'\nTraceback (most recent call last):\n  File "/a/execution.py", line 349, in execute\n    go(obj)\n  File "/a',
        "'cond_stage'",
        "key_not_found",
    ),
    (
        'Error occurred when executing CheckpointLoader:\n\nError while deserializing header: HeaderTooLarge\n\nFile "/a/execution.py", line 151, in execute\noutput = go(obj)\n',
        "deserializing header",
        "corrupt_data",
    ),
    (
        "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'newer4'\n",
        "unknown model architecture",
        "version_conflict",
    ),
    (
        "llama_model_load: error loading model: error loading model hyperparameters: key not found in model: llama.context_length\n",
        "key not found in model",
        "key_not_found",
    ),
    (
        "ImportError: dlopen(/x/_C.so, 2): Symbol not found: __ZN2at5emptyE\n  Referenced from: /x/_C.so\n",
        "Symbol not found",
        "version_conflict",
    ),
    (
        'FATAL ERROR: Symbol "__nv_powf"not found\n',
        "__nv_powf",
        "version_conflict",
    ),
    (
        "RuntimeError: normal_ expects std >= 0.0, but found std nan\n",
        "found std nan",
        "loss_nan",
    ),
    (
        "it says: The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR\n",
        "worker process has died",
        "process_killed",
    ),
    (
        "again and again\nValueError: x must be positive\nKeyError: 'abc'\n",
        "abc",
        "key_not_found",
    ),
    (
        'in the third cell I get an OutOfMemoryError since "CUDA out of memory. Tried to allocate 2.00 GiB"\n',
        "CUDA out of memory",
        "gpu_out_of_memory",
    ),
]


@pytest.mark.parametrize(("text", "message", "category"), ALONE, ids=lambda value: str(value)[:40])
def test_alone(text: str, message: str, category: str | None, tmp_path: Path) -> None:
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert message in found.exception.message
    assert category in (None, found.category.id)


def test_a_bare_class_below_its_statement(tmp_path: Path) -> None:
    text = "this came up:\n    assert len(a) == len(b)\nAssertionError\nno idea why\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert (found.exception.type, found.exception.message) == ("AssertionError", "")


DESCRIBED = [
    (
        'it fails in my_collate, the batch does not have the key "mask" at all, what to do?\n',
        "key_not_found",
    ),
    ("网络训练了三轮以后就全部变成nan了，请问是什么原因\n", "loss_nan"),
    (
        'training stops after "overflow detected, setting loss scale to: 6.1e-05", what is it?\n',
        "loss_nan",
    ),
    ("warning: ValueError while fitting. X.shape: (10, 3) y shape: (12,)\n", "tensor_mismatch"),
    ("My loss never goes down, whatever I try, on this data set.\n", "loss_stagnation"),
    ("Accuracy stays at 0.5 from the first epoch, is this a bug?\n", "accuracy_at_chance"),
    ("The validation loss keeps increasing while training goes on.\n", "overfitting"),
    ("After some hundred steps the training diverges completely.\n", "loss_divergence"),
    ("KL loss logged as inf since the second epoch, please advise\n", "loss_nan"),
    ("After two epochs the generator gives nan only, on any data.\n", "loss_nan"),
    ("CPU memory grows with each batch, until nothing is left of it.\n", "cpu_out_of_memory"),
    ("The RAM is full after some hours, and the kernel ends it.\n", "cpu_out_of_memory"),
    ("Test accuracy is fixed at 0.1 for all ten classes that I have.\n", "accuracy_at_chance"),
    ("The mAP is always 0 on my own pictures, after all of the epochs.\n", "accuracy_at_chance"),
    ("My session keeps crashing and restarting whenever I load the table.\n", "process_killed"),
    ("训练了很久，loss 一直不下降，不知道哪里有问题。\n", "loss_stagnation"),
    ("每次训练到一半进程就被killed，请问怎么解决？\n", "process_killed"),
    ("为什么从检查点继续训练时显存不足？单卡是四十G。\n", "gpu_out_of_memory"),
    ("The network predicts only one class, no matter what I feed to it.\n", "accuracy_at_chance"),
    ("val_acc remains 0.25 for me after every one of the epochs.\n", "accuracy_at_chance"),
    (
        "On my machine torch.cuda.is_available() returns False, though there is a card.\n",
        "device_unavailable",
    ),
    ("The training process always gets killed after an hour or so.\n", "process_killed"),
    ("At the end my loss was around 0.02, and the samples look bad.\n", "unclassified"),
    (
        "The discriminator loss goes down and the generator loss increases all the time.\n",
        "unclassified",
    ),
    (
        "Only 30GB of its RAM are used, and the utilization of the card goes up and down.\n",
        "unclassified",
    ),
    ("After the first epoch the training hangs, and nothing is printed.\n", "unclassified"),
]
"""Failures without an exception as people describe them."""


@pytest.mark.parametrize(("text", "category"), DESCRIBED, ids=lambda value: str(value)[:40])
def test_described(text: str, category: str, tmp_path: Path) -> None:
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is None
    assert found.category.id == category


def test_memory_of_the_device_is_not_main_memory(tmp_path: Path) -> None:
    text = "The GPU RAM usage grows with every epoch of my training run.\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is None or found.category.id != "cpu_out_of_memory"


def test_of_an_illegal_access_another_try_is_left_open(tmp_path: Path) -> None:
    text = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert not found.retry_may_help
    assert "not known" in words.retry(found)


def test_the_architecture_of_a_model_is_not_that_of_a_gpu(tmp_path: Path) -> None:
    texts = (
        "ValueError: Unsupported architecture: LlavaForConditionalGeneration\n",
        "RuntimeError: Attempting to use hipBLASLt on a unsupported architecture!\n",
    )
    told = [localize(text, Workspace(tmp_path, cache=False)).primary for text in texts]
    model, gpu = (found.advice if found else () for found in told)
    assert not any("GPU" in piece.cause for piece in model)
    assert any("GPU" in piece.cause for piece in gpu)


@pytest.mark.parametrize(
    "text",
    [
        "* UserWarning: falling back\n* `pkg.io.ReadError: block 7 is damaged`\n* I have no ffmpeg\n",
        "`pkg.io.ReadError: block 7 is damaged`\nand there is no ffmpeg here\n",
        "- pkg.io.ReadError: block 7 is damaged\n- 16 GB of memory\n",
    ],
)
def test_the_message_of_an_item_ends_with_it(text: str, tmp_path: Path) -> None:
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.message == "block 7 is damaged"


def test_a_person_goes_on_below_a_message(tmp_path: Path) -> None:
    text = "KeyError: 'weights'\nWhen I use the old file it works.\nThanks for any help\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.message == "'weights'"


def test_a_long_sentence_of_a_person_is_no_message(tmp_path: Path) -> None:
    text = (
        "I changed one thing.\n"
        "With the new setting what the model writes is corrupted if the table is not resized first.\n"
    )
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is None or found.exception is None


def test_the_exception_behind_jax_s_whole_stack(tmp_path: Path) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/lib/site-packages/jax/core.py", line 9, in error\n'
        "    raise ConcretizationTypeError(arg)\n"
        "jax._src.traceback_util.UnfilteredStackTrace: jax._src.errors.ConcretizationTypeError:"
        " Abstract tracer value encountered where concrete value is expected: Traced<x>\n"
    )
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == "jax._src.errors.ConcretizationTypeError"


def test_the_log_s_last_word_on_a_loss_counts_more_than_its_trend(tmp_path: Path) -> None:
    steps = "".join(f"global step {n}: loss = {v}\n" for n, v in enumerate((4, 9, 11, 8, 14, 13)))
    text = f"{steps}W op_kernel.cc:9] Invalid argument: Nan in summary histogram for: Layer/w\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.category.id == "loss_nan"


def test_a_class_in_small_letters(tmp_path: Path) -> None:
    text = 'it says "pkg.errors.missingthingexception: in "a": nothing named b/c" at the start\n'
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == "pkg.errors.missingthingexception"


def test_message_cut_at_the_width_of_a_terminal(tmp_path: Path) -> None:
    whole = (
        "[rank3]:[E101 10:00:00.1 ProcessGroupNCCL.cpp:607] Watchdog caught collective operation"
        " timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE) ran for 600000 milliseconds before the"
        " process was taken down, since nobody answered it in all of this considerable time."
    )
    cut = "\n".join(whole[at : at + 80] for at in range(0, len(whole), 80))
    assert cut != whole
    found = localize(cut + "\n", Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert "ran for 600000 milliseconds before the process was taken" in found.exception.message


def test_a_hang_is_no_flat_loss(tmp_path: Path) -> None:
    """What a person says of a run that stands still counts more than its last losses."""
    steps = "".join(f"Epoch 0 [{n}/9] Loss: 0.{n}1\n" for n in (2, 3, 1, 2, 3))
    text = f"# It gets stuck after one epoch\n\nthe process does not move on any more\n\n{steps}"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.category.id == "unclassified"
    assert found.advice == ()


_CUT = 'Traceback (most recent call last):\n  File "/a/go.py", line 3, in <module>\n    run()\n'


@pytest.mark.parametrize("end", ["  File", "File", "Fi", "Thanks", "Hello"])
def test_a_word_below_a_stack_is_no_class(end: str, tmp_path: Path) -> None:
    found = localize(_CUT + end, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is None or found.exception.type == ""


@pytest.mark.parametrize("end", ["queue.Empty", "StopIteration", "NoBackendError"])
def test_a_class_without_words_below_a_stack(end: str, tmp_path: Path) -> None:
    found = localize(f"{_CUT}{end}\n", Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == end


_SPAWNED = """Traceback (most recent call last):
  File "<string>", line 1, in <module>
  File "D:\\py\\lib\\multiprocessing\\spawn.py", line 116, in spawn_main
    exitcode = _main(fd, parent_sentinel)
  File "D:\\py\\lib\\multiprocessing\\spawn.py", line 126, in _main
    self = reduction.pickle.load(from_parent)
EOFError: Ran out of input
"""


def test_a_spawned_process_whose_parent_failed(tmp_path: Path) -> None:
    """What the child could not read is no damaged file, and what else is named tells more."""
    title = "# OSError: [WinError 1455] The paging file is too small\n\n"
    found = localize(title + _SPAWNED, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == "OSError"
    alone = localize(_SPAWNED, Workspace(tmp_path, cache=False)).primary
    assert alone is not None
    assert alone.category.id == "framework_api_misuse"


def test_a_lock_of_processes_is_on_no_disk(tmp_path: Path) -> None:
    text = (
        'Traceback (most recent call last):\n  File "go.py", line 3, in <module>\n    q = mp.Queue()\n'
        '  File "/usr/lib/python3.8/multiprocessing/synchronize.py", line 57, in __init__\n'
        "    sl = self._semlock = _multiprocessing.SemLock(\n"
        "OSError: [Errno 28] No space left on device\n"
    )
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.category.id == "cpu_out_of_memory"
    assert ["/dev/shm" in advice.cause for advice in found.advice] == [True]


def test_a_key_is_all_that_a_keyerror_says(tmp_path: Path) -> None:
    text = "The script gives me:\nKeyError: 'city'\nThe paths look right.\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.message == "'city'"


def test_the_last_item_of_a_numbered_list_remains(tmp_path: Path) -> None:
    text = (
        "#1 in the first cell: ValueError: fp16 needs a GPU, so I chose another\n\n"
        "#2 in the next one: KeyError: 'labels'\nWhat now?\n"
    )
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is not None
    assert found.exception is not None
    assert found.exception.type == "KeyError"


def test_what_a_launcher_prints_above_any_failure_is_none(tmp_path: Path) -> None:
    text = "it stops, see below\nError executing job with overrides: ['a=1', 'b=2']\n"
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is None or found.exception is None or "overrides" not in found.exception.message


QUIET = [
    "If training hangs, see the FAQ\nepoch 1 loss: 0.9 acc: 0.4\nepoch 2 loss: 0.7 acc: 0.5\nepoch 3 loss: 0.5 acc: 0.6\n",
    "2024-01-01 INFO epoch 1 loss 0.9\n2024-01-01 INFO epoch 2 loss 0.5\n2024-01-01 INFO saved `out of range.pt`\n",
    "W0101 op_kernel.cc:97] Invalid argument: skipped\nepoch 1 loss: 0.9 acc: 0.4\nepoch 2 loss: 0.7 acc: 0.5\nepoch 3 loss: 0.5 acc: 0.6\n",
    "UserWarning: CUDA initialization: no driver\nepoch 1 loss: 0.9 acc: 0.4\nepoch 2 loss: 0.7 acc: 0.5\nepoch 3 loss: 0.5 acc: 0.6\n",
    "E    #       LOSS TOK2VEC  LOSS NER  ENTS_F  SCORE\n---  ------  ------------  --------  ------  -----\n  0       0        35.10     48.11    0.00   0.00\n  0     200        20.90     31.80   41.20   0.41\n  1     400        11.30     20.70   63.50   0.64\n",
    " 1: 9.1, 9.5 avg loss, 0.001 rate, 4.0 seconds\n 2: 7.1, 8.5 avg loss, 0.001 rate, 4.0 seconds\nRegion 16 Avg IOU: -nan, Class: -nan, count: 0\n 3: 5.1, 7.5 avg loss, 0.001 rate, 4.0 seconds\n",
]


@pytest.mark.parametrize("text", QUIET)
def test_runs_that_go_on_have_no_failure(text: str, tmp_path: Path) -> None:
    found = localize(text, Workspace(tmp_path, cache=False)).primary
    assert found is None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from([text for text, _, _ in ALONE] + QUIET + ["\n", "`", "> "]), max_size=6
    )
)
def test_any_mixture_has_one_primary_at_most(parts: list[str]) -> None:
    report = localize("".join(parts), Workspace(Path(__file__).parent / "none", cache=False))
    assert sum(failure.primary for failure in report.failures) <= 1
