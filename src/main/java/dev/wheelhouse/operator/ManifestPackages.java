package dev.wheelhouse.operator;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1Service;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.runtime.YamlWriter;

/**
 * The packages of an operator's manifests: a Helm chart, and a bundle for the Operator Lifecycle Manager. Both are made
 * from the same objects, as files by their paths.
 */
final class ManifestPackages {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private ManifestPackages() {}

    /** The rights of a service account, as a ClusterServiceVersion has them. */
    private record Rights(String serviceAccountName, @Nullable List<V1PolicyRule> rules) {}

    private record OwnDefinition(String name, String version, String kind, String displayName) {}

    static Map<String, String> chart(Manifests manifests, String name, String version, String image) {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("Chart.yaml", yaml("""
                apiVersion: v2
                name: %1$s
                description: The operator %1$s
                type: application
                version: %2$s
                appVersion: "%2$s"
                """.formatted(name, version)));
        ObjectNode values = JSON.objectNode().put("image", image);
        manifests.with("{{ .Release.Namespace | quote }}", "{{ .Values.image | quote }}").files()
                .forEach((file, objects) -> files.put(
                        file.equals("crds.yaml") ? "crds/" + file : "templates/" + file,
                        file.equals("crds.yaml")
                                ? Manifests.yaml(objects)
                                : template(objects.stream().map(object -> object instanceof V1Deployment
                                        ? withValues((ObjectNode) ModelJson.tree(object), values)
                                        : object).toList())));
        files.put("values.yaml", yaml(ModelJson.write(values)));
        return files;
    }

    /** YAML writes an expression as a text in quotes. Helm must find it without them. */
    private static String template(List<?> objects) {
        return Manifests.yaml(objects).replaceAll("'(\\{\\{ [^']* }})'", "$1");
    }

    /** The Deployment with expressions in the place of the fields that users of a chart set. */
    private static ObjectNode withValues(ObjectNode deployment, ObjectNode values) {
        ObjectNode pod = (ObjectNode) deployment.at("/spec/template/spec");
        move("replicas", (ObjectNode) deployment.path("spec"), JSON.numberNode(1), values);
        move("resources", (ObjectNode) pod.at("/containers/0"), JSON.objectNode(), values);
        move("nodeSelector", pod, JSON.objectNode(), values);
        move("affinity", pod, JSON.objectNode(), values);
        move("tolerations", pod, JSON.arrayNode(), values);
        move("imagePullSecrets", pod, JSON.arrayNode(), values);
        return deployment;
    }

    private static void move(String field, ObjectNode from, JsonNode otherwise, ObjectNode values) {
        values.set(field, from.has(field) ? from.get(field) : otherwise);
        from.put(field, "{{ toJson .Values." + field + " }}");
    }

    static Map<String, String> bundle(Manifests manifests, String name, String version) {
        Map<String, String> files = new LinkedHashMap<>();
        List<KubernetesObject> objects = manifests.objects();
        List<Rights> everywhere = of(V1ClusterRole.class, objects).stream()
                .map(role -> new Rights(name, role.getRules())).toList();
        List<Rights> inNamespaces = of(V1Role.class, objects).stream().map(role -> new Rights(name, role.getRules()))
                .toList();
        List<V1CustomResourceDefinition> definitions = of(V1CustomResourceDefinition.class, objects);
        files.put("manifests/" + name + ".clusterserviceversion.yaml", yaml("""
                apiVersion: operators.coreos.com/v1alpha1
                kind: ClusterServiceVersion
                metadata:
                  name: %1$s.v%2$s
                  annotations: {alm-examples: "[]", capabilities: Basic Install}
                spec:
                  displayName: %1$s
                  description: The operator %1$s.
                  version: %2$s
                  maturity: alpha
                  provider: {name: %1$s}
                  installModes:
                  - {type: OwnNamespace, supported: false}
                  - {type: SingleNamespace, supported: false}
                  - {type: MultiNamespace, supported: false}
                  - {type: AllNamespaces, supported: true}
                  install:
                    strategy: deployment
                    spec:
                      clusterPermissions: %3$s
                      permissions: %4$s
                      deployments: [{name: %1$s, spec: %5$s}]
                  customresourcedefinitions: {owned: %6$s}
                """.formatted(name, version, ModelJson.write(everywhere), ModelJson.write(inNamespaces),
                ModelJson.write(of(V1Deployment.class, objects).getFirst().getSpec()),
                ModelJson.write(definitions.stream().flatMap(definition -> definition.getSpec().getVersions().stream()
                        .map(each -> new OwnDefinition(definition.getMetadata().getName(), each.getName(),
                                definition.getSpec().getNames().getKind(),
                                definition.getSpec().getNames().getKind())))
                        .toList()))));
        definitions.forEach(definition -> files.put("manifests/" + definition.getMetadata().getName() + ".crd.yaml",
                yaml(ModelJson.write(definition))));
        of(V1Service.class, objects).forEach(service -> {
            service.getMetadata().setNamespace(null);
            files.put("manifests/" + name + ".service.yaml", yaml(ModelJson.write(service)));
        });
        String prefix = "operators.operatorframework.io.bundle.";
        List<String> labels = List.of("mediatype.v1=registry+v1", "manifests.v1=manifests/", "metadata.v1=metadata/",
                "package.v1=" + name, "channels.v1=stable", "channel.default.v1=stable");
        StringBuilder annotations = new StringBuilder("annotations:\n");
        StringBuilder dockerfile = new StringBuilder("FROM scratch\n");
        labels.forEach(label -> {
            annotations.append("  ").append(prefix).append(label.replace("=", ": ")).append('\n');
            dockerfile.append("LABEL ").append(prefix).append(label).append('\n');
        });
        files.put("metadata/annotations.yaml", annotations.toString());
        files.put("bundle.Dockerfile", dockerfile + "COPY manifests /manifests/\nCOPY metadata /metadata/\n");
        return files;
    }

    private static <T> List<T> of(Class<T> type, List<KubernetesObject> objects) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** YAML, which may contain JSON, in the usual form. */
    private static String yaml(String text) {
        return YamlWriter.write(SafeYaml.load(text.getBytes(StandardCharsets.UTF_8)));
    }
}
