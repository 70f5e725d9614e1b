# Knotpost in a small image: built in one stage, run in another by a user
# without rights, with everything that must be kept in the volume /data.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
RUN apt-get update \
 && apt-get install -y --no-install-recommends gcc g++ make pkg-config \
 && rm -rf /var/lib/apt/lists/*
COPY . .
# The commit that `knotpost --version` names.
ARG KNOTPOST_COMMIT=
RUN KNOTPOST_COMMIT="$KNOTPOST_COMMIT" cargo build --profile dist --locked --package knotpost

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin knotpost \
 && install -d -o knotpost -g knotpost -m 700 /data /key
COPY --from=build /source/target/dist/knotpost /usr/local/bin/knotpost
COPY LICENSE-MIT LICENSE-APACHE NOTICE /usr/local/share/doc/knotpost/
USER knotpost
WORKDIR /data
VOLUME /data

# Inside a container the loopback is nobody's; publish the ports with care.
ENV KNOTPOST_SERVER__DATA=/data \
    KNOTPOST_HTTP__LISTEN=0.0.0.0:8080 \
    KNOTPOST_SMTP__LISTEN=0.0.0.0:2525
EXPOSE 8080 2525 2424
STOPSIGNAL SIGTERM
# What /readyz says. At the start a database file may be checked first.
HEALTHCHECK --interval=30s --timeout=15s --start-period=2m CMD ["knotpost", "health"]
ENTRYPOINT ["knotpost"]
CMD ["serve"]
