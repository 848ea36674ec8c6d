"""Build ``graphrag_assets/gateways/minilm_skeleton.onnx``: the graph of all-MiniLM-L6-v2 without its weights.

Run where the ``onnx`` package is installed (no other part of the project needs it)::

    python scripts/make_minilm_skeleton.py            # writes the file
    python scripts/make_minilm_skeleton.py --check    # says whether the committed file is what this script builds

The graph reads the token ids of one text, special tokens included, and gives its vector of length one. It takes one
text at a time and knows no padding and no mask, so that a vector depends on nothing but its own text. Its tensors are
declared under the names that they have in ``model.safetensors`` and are handed over when a session opens.
"""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

TARGET = Path(__file__).parent.parent / "graphrag_assets" / "gateways" / "minilm_skeleton.onnx"
OPSET = 20
IR_VERSION = 9
LAYERS = 6
HEADS = 12
HEAD_SIZE = 32
HIDDEN = HEADS * HEAD_SIZE
INNER = 1_536
WORDS = 30_522
POSITIONS = 512
TYPES = 2
EPSILON = 1e-12


class Skeleton:
    """Nodes, weights without content, and constants of the graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.constants: list[onnx.TensorProto] = []

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        output = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def weight(self, name: str, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="model.safetensors")
        self.weights.append(tensor)
        return name

    def constant(self, name: str, kind: int, *values: float, scalar: bool = False) -> str:
        if all(existing.name != name for existing in self.constants):
            self.constants.append(helper.make_tensor(name, kind, [] if scalar else [len(values)], values))
        return name

    def integers(self, name: str, *values: int) -> str:
        return self.constant(name, TensorProto.INT64, *values)

    def linear(self, x: str, name: str, outputs: int, inputs: int) -> str:
        weight = self.weight(f"{name}.weight", outputs, inputs)
        return self.node("Gemm", x, weight, self.weight(f"{name}.bias", outputs), transB=1)

    def norm(self, x: str, name: str) -> str:
        scale = self.weight(f"{name}.weight", HIDDEN)
        return self.node("LayerNormalization", x, scale, self.weight(f"{name}.bias", HIDDEN), axis=-1, epsilon=EPSILON)

    def embeddings(self, ids: str) -> str:
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight", WORDS, HIDDEN), ids)
        types = self.weight("embeddings.token_type_embeddings.weight", TYPES, HIDDEN)
        places = self.weight("embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
        zero, one = self.integers("zero", 0), self.integers("one", 1)
        first_type = self.node("Slice", types, zero, one, zero)
        placed = self.node("Slice", places, zero, self.node("Shape", ids), zero)
        return self.norm(self.node("Add", self.node("Add", words, first_type), placed), "embeddings.LayerNorm")

    def heads(self, x: str, name: str, order: tuple[int, int, int]) -> str:
        split = self.node("Reshape", self.linear(x, name, HIDDEN, HIDDEN), self.integers("heads_shape", 0, HEADS, HEAD_SIZE))
        return self.node("Transpose", split, perm=order)

    def attention(self, x: str, name: str) -> str:
        query = self.heads(x, f"{name}.self.query", (1, 0, 2))
        key = self.heads(x, f"{name}.self.key", (1, 2, 0))
        value = self.heads(x, f"{name}.self.value", (1, 0, 2))
        scale = self.constant("scale", TensorProto.FLOAT, HEAD_SIZE**-0.5, scalar=True)
        weights = self.node("Softmax", self.node("Mul", self.node("MatMul", query, key), scale), axis=-1)
        mixed = self.node("Transpose", self.node("MatMul", weights, value), perm=(1, 0, 2))
        joined = self.node("Reshape", mixed, self.integers("joined_shape", 0, HIDDEN))
        return self.norm(self.node("Add", self.linear(joined, f"{name}.output.dense", HIDDEN, HIDDEN), x), f"{name}.output.LayerNorm")

    def layer(self, x: str, name: str) -> str:
        attended = self.attention(x, f"{name}.attention")
        inner = self.node("Gelu", self.linear(attended, f"{name}.intermediate.dense", INNER, HIDDEN))
        outer = self.linear(inner, f"{name}.output.dense", HIDDEN, INNER)
        return self.norm(self.node("Add", outer, attended), f"{name}.output.LayerNorm")


def build() -> bytes:
    skeleton = Skeleton()
    x = skeleton.embeddings("input_ids")
    for number in range(LAYERS):
        x = skeleton.layer(x, f"encoder.layer.{number}")
    pooled = skeleton.node("ReduceMean", x, skeleton.integers("zero", 0), keepdims=0)
    vector = skeleton.node("LpNormalization", pooled, axis=-1, p=2)
    skeleton.nodes.append(helper.make_node("Identity", [vector], ["vector"], name="vector"))
    graph = helper.make_graph(
        skeleton.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["tokens"])],
        [helper.make_tensor_value_info("vector", TensorProto.FLOAT, [HIDDEN])],
        [*skeleton.constants, *skeleton.weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="graphrag-assets")
    return model.SerializeToString(deterministic=True)


def main() -> int:
    content = build()
    if "--check" in sys.argv[1:]:
        same = TARGET.is_file() and TARGET.read_bytes() == content
        print(f"{TARGET.name}: {'as built' if same else 'differs from what this script builds'}")
        return 0 if same else 1
    TARGET.write_bytes(content)
    print(f"{TARGET.name}: {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
