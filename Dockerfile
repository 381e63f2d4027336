# The application for docker-compose. The embedding model comes as a package, so no model hub is reached at build or run time.
FROM python:3.11.14-slim-bookworm

ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 SAKSHYA_HOME=/srv/sakshya

RUN useradd --create-home --uid 10001 sakshya
WORKDIR /srv/sakshya
COPY pyproject.toml constraints.txt README.md ./
COPY config ./config
COPY components ./components
COPY evaluation ./evaluation
COPY app ./app
# torch first and exact, so that no other package chooses a CUDA build; TORCH_INDEX may name an index that holds CPU builds
ARG TORCH_INDEX=""
RUN python -m pip install --upgrade "pip>=26" \
 && python -m pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch==2.13.0 \
 && python -m pip install --constraint constraints.txt --editable .
COPY models ./models
COPY pipelines ./pipelines
COPY examples ./examples
RUN mkdir -p /data && chown sakshya /data
USER sakshya
ENTRYPOINT ["sakshya"]
CMD ["status"]
