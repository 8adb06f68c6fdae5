package dev.wheelhouse.apiserver.kinds;

import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.FieldValidation;

import static org.assertj.core.api.Assertions.assertThat;

class DefaultsTest {
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();

    @ParameterizedTest
    @CsvSource({"nginx,Always", "nginx:latest,Always", "nginx:1.2,IfNotPresent", "r.io:5000/nginx,Always",
            "r.io:5000/nginx:v1,IfNotPresent", "nginx@sha256:abc,IfNotPresent", "Nginx,IfNotPresent",
            "R.io/nginx,Always",
            "a__b/c-d,Always", "50%,IfNotPresent", "[::1]:5000/nginx,Always",
            "nginx@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef,IfNotPresent",
            "nginx:latest@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef,Always"})
    void pullsAnImageByItsTag(String image, String policy) {
        JsonNode pod = defaulted("v1", "Pod", "{'spec': {'containers': [{'name': 'a', 'image': '" + image + "'}]}}");

        assertThat(pod.at("/spec/containers/0/imagePullPolicy").stringValue()).isEqualTo(policy);
    }

    @Test
    void completesAPod() {
        JsonNode pod = defaulted("v1", "Pod", """
                {'spec': {'hostNetwork': true, 'serviceAccountName': 'sa', 'containers': [{'name': 'a', 'image': 'a:1',
                  'ports': [{'containerPort': 80}],
                  'env': [{'name': 'N', 'valueFrom': {'fieldRef': {'fieldPath': 'metadata.name'}}}],
                  'livenessProbe': {'httpGet': {'port': 80}},
                  'resources': {'limits': {'cpu': '1', 'memory': '1Gi'}, 'requests': {'cpu': '500m'}}}],
                 'volumes': [{'name': 'e'}, {'name': 's', 'secret': {'secretName': 's'}},
                   {'name': 'h', 'hostPath': {'path': '/x'}},
                   {'name': 'p', 'projected': {'sources': [{'serviceAccountToken': {'path': 't'}}]}}]}}""");

        assertThat(pod.get("spec")).isEqualTo(
                json("""
                        {'hostNetwork': true, 'serviceAccountName': 'sa', 'serviceAccount': 'sa',
                         'enableServiceLinks': true,
                         'dnsPolicy': 'ClusterFirst', 'restartPolicy': 'Always', 'schedulerName': 'default-scheduler',
                         'securityContext': {}, 'terminationGracePeriodSeconds': 30,
                         'containers': [{'name': 'a', 'image': 'a:1', 'imagePullPolicy': 'IfNotPresent',
                           'terminationMessagePath': '/dev/termination-log', 'terminationMessagePolicy': 'File',
                           'ports': [{'containerPort': 80, 'hostPort': 80, 'protocol': 'TCP'}],
                           'env': [{'name': 'N', 'valueFrom': {'fieldRef': {'apiVersion': 'v1',
                            'fieldPath': 'metadata.name'}}}],
                           'livenessProbe': {'httpGet': {'path': '/', 'port': 80, 'scheme': 'HTTP'},
                            'timeoutSeconds': 1,
                             'periodSeconds': 10, 'successThreshold': 1, 'failureThreshold': 3},
                           'resources': {'limits': {'cpu': '1', 'memory': '1Gi'}, 'requests': {'cpu': '500m',
                            'memory': '1Gi'}}}],
                         'volumes': [{'name': 'e', 'emptyDir': {}}, {'name': 's', 'secret': {'secretName': 's',
                          'defaultMode': 420}},
                           {'name': 'h', 'hostPath': {'path': '/x', 'type': ''}},
                           {'name': 'p', 'projected': {'defaultMode': 420,
                             'sources': [{'serviceAccountToken': {'path': 't', 'expirationSeconds': 3600}}]}}]}"""));
        assertThat(pod.get("status")).isEqualTo(json("{'phase': 'Pending', 'qosClass': 'Burstable'}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"{} | BestEffort",
            "{'limits':{'cpu':'1','memory':'1Gi'}} | Guaranteed", "{'requests':{'cpu':'1'}} | Burstable",
            "{'limits':{'cpu':'1'}} | Burstable",
            "{'limits':{'cpu':'1','memory':'1Gi'},'requests':{'cpu':'1'}} | Guaranteed"})
    void givesAPodItsQualityOfService(String resources, String expected) {
        JsonNode pod = defaulted("v1", "Pod",
                "{'spec': {'containers': [{'name': 'a', 'image': 'a:1', 'resources': " + resources + "}]}}");

        assertThat(pod.at("/status/qosClass").stringValue()).isEqualTo(expected);
    }

    @Test
    void aTemplateGetsNoRequestsFromItsLimits() {
        JsonNode deployment = defaulted("apps/v1", "Deployment", """
                {'spec': {'template': {'spec': {'containers': [{'name': 'a', 'image': 'a:1',
                  'resources': {'limits': {'cpu': '1'}}}]}}}}""");

        assertThat(deployment.at("/spec/template/spec/containers/0/resources"))
                .isEqualTo(json("{'limits': {'cpu': '1'}}"));
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/tables/defaults.txt", delimiter = '|', quoteCharacter = '`')
    void setsWhatASpecLeavesUnsaid(String kind, String apiVersion, String spec, String pointer, String expected) {
        JsonNode object = defaulted(apiVersion, kind, "{'spec': " + spec + "}");

        assertThat(object.at(pointer)).isEqualTo(json(expected));
    }

    @Test
    void completesObjectsWithoutASpec() {
        assertThat(defaulted("v1", "Secret", "{}").get("type").stringValue()).isEqualTo("Opaque");
        assertThat(defaulted("v1", "Namespace", "{'metadata': {'name': 'n'}}")).isEqualTo(json("""
                {'apiVersion': 'v1', 'kind': 'Namespace',
                 'metadata': {'name': 'n', 'labels': {'kubernetes.io/metadata.name': 'n'}},
                 'spec': {'finalizers': ['kubernetes']}, 'status': {'phase': 'Active'}}"""));
        assertThat(defaulted("storage.k8s.io/v1", "StorageClass", "{}").get("volumeBindingMode").stringValue())
                .isEqualTo("Immediate");
        JsonNode binding = defaulted("rbac.authorization.k8s.io/v1", "RoleBinding", """
                {'roleRef': {'kind': 'Role', 'name': 'r'}, 'subjects': [{'kind': 'User', 'name': 'u'},
                 {'kind': 'ServiceAccount', 'name': 's'}]}""");
        assertThat(binding.at("/roleRef/apiGroup").stringValue()).isEqualTo("rbac.authorization.k8s.io");
        assertThat(binding.at("/subjects/0/apiGroup").stringValue()).isEqualTo("rbac.authorization.k8s.io");
        assertThat(binding.at("/subjects/1").has("apiGroup")).isFalse();
    }

    @Test
    void aTerminatingNamespaceKeepsNoFinalizerThatWasTaken() {
        JsonNode namespace = defaulted("v1", "Namespace", """
                {'metadata': {'name': 'n', 'deletionTimestamp': '2026-01-01T00:00:00Z'}, 'spec': {}}""");

        assertThat(namespace.get("spec")).isEqualTo(json("{}"));
    }

    @Test
    void namesACustomResourceDefinitionsKinds() {
        JsonNode definition = defaulted("apiextensions.k8s.io/v1", "CustomResourceDefinition", """
                {'spec': {'names': {'kind': 'Widget', 'plural': 'widgets'},
                 'versions': [{'name': 'v1', 'served': true, 'storage': true}]}}""");

        assertThat(definition.at("/spec/names")).isEqualTo(
                json("{'kind': 'Widget', 'plural': 'widgets', 'singular': 'widget', 'listKind': 'WidgetList'}"));
        assertThat(definition.at("/spec/conversion")).isEqualTo(json("{'strategy': 'None'}"));
        assertThat(definition.at("/status/storedVersions")).isEqualTo(json("['v1']"));
    }

    @ParameterizedTest
    @CsvSource({"apps/v1,Deployment", "v1,Pod", "batch/v1,CronJob", "v1,Service", "v1,Node",
            "autoscaling/v2,HorizontalPodAutoscaler"})
    void defaultingTwiceIsAsGoodAsOnce(String apiVersion, String kind) {
        ObjectNode once = defaulted(apiVersion, kind, "{'metadata': {'name': 'n'}}");
        ObjectNode twice = once.deepCopy();

        FieldValidation.prune(apiVersion, kind, twice);
        Defaults.apply(Objects.requireNonNull(REGISTRY.findKind(apiVersion, kind)).type(), twice);

        assertThat(twice).isEqualTo(once);
    }

    private static ObjectNode defaulted(String apiVersion, String kind, String json) {
        ObjectNode object = (ObjectNode) json(json);
        object.put("apiVersion", apiVersion).put("kind", kind);
        FieldValidation.prune(apiVersion, kind, object);
        Defaults.apply(Objects.requireNonNull(REGISTRY.findKind(apiVersion, kind)).type(), object);
        return object;
    }

    private static JsonNode json(String text) {
        return Json.read(text.replace('\'', '"'));
    }
}
