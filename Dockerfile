# syntax=docker/dockerfile:1

# The base of both stages, by its exact tag. A release adds the digest.
ARG BASE=eclipse-temurin:25.0.3_9

# This stage builds the jar, and splits it into layers that change at different rates.
FROM ${BASE}-jdk-noble AS build
RUN apt-get update && apt-get install -y --no-install-recommends maven
WORKDIR /src
COPY pom.xml ./
RUN mvn -B -q dependency:go-offline
COPY config config
COPY src src
COPY docs/writing-a-controller.md docs/
RUN mvn -B -q package -DskipTests -Dmaven.javadoc.skip -Dmaven.source.skip
RUN java -Djarmode=tools -jar target/wheelhouse-exec.jar extract --layers --destination /layers

FROM ${BASE}-jre-noble
LABEL org.opencontainers.image.title="Wheelhouse" \
      org.opencontainers.image.description="A Kubernetes controller manager for the JVM, with an embedded API server" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="docker.io/library/eclipse-temurin:25.0.3_9-jre-noble"
COPY src/build/jvm.options src/build/training.options /app/
COPY --from=build /layers/dependencies/ /app/
COPY --from=build /layers/spring-boot-loader/ /app/
COPY --from=build /layers/snapshot-dependencies/ /app/
COPY --from=build /layers/application/ /app/
# The service records its ahead-of-time cache. Only the same JVM can use it, so it is made in this stage.
RUN --mount=type=bind,from=build,source=/src/target/rehearsal,target=/rehearsal \
    mkdir /tmp/rehearsal && cd /tmp/rehearsal && java @/app/jvm.options @/app/training.options \
    -XX:AOTCacheOutput=/app/start.aot -Dcatalina.home=/rehearsal -cp /app/wheelhouse-exec.jar \
    org.apache.catalina.startup.Tool Rehearsal > log 2>&1 || { cat log; exit 1; }; \
    rm -r /tmp/rehearsal; test -s /app/start.aot
# The embedded API server writes its kubeconfig into the working directory, or into /tmp if it may not write there.
WORKDIR /work
RUN chown 10001:10001 /work
USER 10001:10001
# Health and metrics, and the embedded API server.
EXPOSE 8080 7443
# In a pod the service uses the API server of the pod's service account. Elsewhere it starts the embedded API server.
ENTRYPOINT ["java", "@/app/jvm.options", "-XX:MaxRAMPercentage=75", "-XX:AOTCache=/app/start.aot", "-jar", "/app/wheelhouse-exec.jar"]
