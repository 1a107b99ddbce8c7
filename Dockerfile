# The service alone: no test, no compiler, no Node or Postgres but the one below.
# A tag can move. To pin the image, append @ and the digest that this prints here, or pass both with --build-arg NODE=…:
# docker buildx imagetools inspect node:24.21.0-bookworm-slim --format '{{.Manifest.Digest}}'
ARG NODE=node:24.21.0-bookworm-slim
FROM ${NODE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The compiler is an optional package of each system.
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/web-files.mjs scripts/
COPY src src
COPY web web
RUN npm run build && npm ci --omit=dev --omit=optional

FROM ${NODE}
# git fetches configurations from a repository; tini buries what git started and left behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git tini \
    && rm -rf /var/lib/apt/lists/* \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# By number, so that a cluster can tell that it is not root. Only /data and /tmp are written to.
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=16", "dist/infrastructure/main.js"]
