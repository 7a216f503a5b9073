# JupyterLab with both kernels, everything compiled in advance:
#   docker build -t agekit .
#   docker run --rm -p 8888:8888 agekit
# Go modules, Python packages and the XLA plugin are pinned with hashes in this
# repository; the base image has Go, gcc, git and make.
FROM golang:1.26.8-bookworm

RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --shell /bin/bash age \
 && install --directory --owner=age --group=age /home/age/agekit
USER age
WORKDIR /home/age/agekit
ENV GOPATH=/home/age/go

# Layers that rarely change come first, so that Docker can cache them.
COPY --chown=age:age tools/go.mod tools/go.sum tools/
COPY --chown=age:age tools/gonb/ tools/gonb/
COPY --chown=age:age scripts/ scripts/
COPY --chown=age:age Makefile ./
RUN make tools jupyter
COPY --chown=age:age go.mod go.sum ./
RUN go mod download
COPY --chown=age:age . .
RUN make build warm && .bin/age backend install cpu

EXPOSE 8888
CMD ["make", "lab", "LAB_FLAGS=--ip=0.0.0.0 --port=8888 --no-browser"]
