# syntax=docker/dockerfile:1

# This stage builds the jar, and splits it into layers that change at different rates.
FROM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /src
COPY pom.xml ./
RUN mvn -B -q dependency:go-offline
COPY config config
COPY src src
RUN mvn -B -q package -DskipTests -Dmaven.javadoc.skip -Dmaven.source.skip \
 && java -Djarmode=tools -jar target/wheelhouse-exec.jar extract --layers --launcher --destination /layers

FROM eclipse-temurin:25-jre
RUN groupadd --gid 10001 wheelhouse && useradd --uid 10001 --gid 10001 --no-create-home wheelhouse
WORKDIR /app
COPY --from=build /layers/dependencies/ ./
COPY --from=build /layers/spring-boot-loader/ ./
COPY --from=build /layers/snapshot-dependencies/ ./
COPY --from=build /layers/application/ ./
USER 10001:10001
EXPOSE 8080
# In a pod the service uses the API server of the pod's service account. Elsewhere it starts the embedded API server.
ENTRYPOINT ["java", "-XX:+UseCompactObjectHeaders", "-XX:MaxRAMPercentage=75", "-XX:+ExitOnOutOfMemoryError", "org.springframework.boot.loader.launch.JarLauncher"]
