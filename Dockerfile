# unslant for `serve` and `check`, as a user without rights.
#
#   docker build -t unslant .
#   docker run --rm --read-only --tmpfs /tmp -p 8000:8000 -e UNSLANT_TOKEN=… unslant
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD:/work:ro" unslant check /work
FROM python:3.12-slim AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --prefix=/install -c constraints.txt '.[server]'

FROM python:3.12-slim
COPY --from=build /install /usr/local
RUN useradd --system --no-create-home --uid 10001 unslant
ENV PYTHONDONTWRITEBYTECODE=1 UNSLANT_CACHE_DIR=/tmp/unslant
USER 10001
WORKDIR /work
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
ENTRYPOINT ["unslant"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
