"""Writes the SBOM (CycloneDX) of an image's Debian packages: image_sbom.py NAME. Reads the
system and its version ("debian 12"), and then a line for each package, as image-test.sh
asks dpkg-query for it. The output depends on the packages alone."""

import sys

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

system, release = sys.stdin.readline().split()
bom = Bom()
bom.metadata.component = Component(type=ComponentType.CONTAINER, name=sys.argv[1], bom_ref=sys.argv[1])
for line in sys.stdin:
    state, name, version, architecture, source, source_version = line.rstrip("\n").split("\t")
    if not state.startswith("ii"):  # removed: only its settings are left
        continue
    # Advisories of Debian name source packages.
    qualifiers = {"arch": architecture, "distro": f"{system}-{release}", "upstream": f"{source}@{source_version}"}
    purl = PackageURL("deb", system, name, version, qualifiers)
    component = Component(type=ComponentType.LIBRARY, name=name, version=version, purl=purl, bom_ref=str(purl))
    bom.components.add(component)
    bom.register_dependency(bom.metadata.component, [component])
if not bom.components:
    sys.exit("image_sbom: no packages")
bom.metadata.timestamp = bom.serial_number = None
text = JsonV1Dot6(bom).output_as_string(indent=1)
wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if wrong:
    sys.exit(f"image_sbom: not CycloneDX: {wrong}")
print(text)
