# Base images; a machine without these registries can name its own.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG RUST_IMAGE=rust:1.95-slim-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

# The web interface.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-fund --no-audit
# The free browser cores of games, as kinds/games/cores.json pins them.
COPY scripts/unpack-cores.mjs /src/scripts/
COPY kinds/games/cores.json /src/kinds/games/
RUN node /src/scripts/unpack-cores.mjs /src/kinds/games/cores --free --packed
COPY web ./
RUN npm run --silent build

# The compiler, and the tool that builds dependencies in a layer of their own.
FROM ${RUST_IMAGE} AS compiler
RUN apt-get update \
    && apt-get install --yes --no-install-recommends build-essential \
    && rm -rf /var/lib/apt/lists/*
RUN cargo install cargo-chef --version 0.1.78 --locked
WORKDIR /src

# The list of dependencies. It stays the same when only sources change.
FROM compiler AS recipe
COPY . .
RUN cargo chef prepare --recipe-path recipe.json

# The server, with the web interface inside.
FROM compiler AS server
COPY .cargo .cargo
COPY --from=recipe /src/recipe.json .
RUN cargo chef cook --release --locked --package ledge --features cores --recipe-path recipe.json
COPY . .
COPY --from=web /src/web/dist web/dist
COPY --from=web /src/kinds/games/cores kinds/games/cores
ARG LEDGE_COMMIT
RUN LEDGE_COMMIT="${LEDGE_COMMIT}" \
    cargo build --release --locked --package ledge --features cores

# Debian without packages that the program does not need.
FROM ${DEBIAN_IMAGE} AS root
RUN dpkg --purge --force-all adduser apt debian-archive-keyring gpgv libapt-pkg6.0 perl-base \
    && rm -rf /var/cache/* /var/lib/apt /var/log/*

# The image.
FROM scratch
ARG LEDGE_COMMIT
COPY --from=root / /
LABEL org.opencontainers.image.title="Ledge" \
      org.opencontainers.image.description="A self-hosted media library for books, audio, video and games" \
      org.opencontainers.image.licenses="GPL-3.0-or-later" \
      org.opencontainers.image.revision="${LEDGE_COMMIT}"
# setpriv comes with util-linux, which the image contains.
COPY --from=server /src/target/release/ledge /usr/local/bin/ledge
COPY --chmod=0755 docker/entrypoint.sh /usr/local/bin/entrypoint.sh
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LEDGE_LISTEN=0.0.0.0:8484 \
    LEDGE_DATABASE=/data/ledge.db
VOLUME /data
EXPOSE 8484
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["ledge", "healthcheck"]
# No USER: the entrypoint gives up root's rights itself, once /data belongs to PUID and PGID.
ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]
CMD ["serve"]
