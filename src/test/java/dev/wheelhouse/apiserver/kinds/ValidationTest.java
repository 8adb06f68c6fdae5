package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.StatusCause;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.patch.Patches;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.schema.FieldValidation;

import static org.assertj.core.api.Assertions.assertThat;

class ValidationTest {
    private static final ResourceRegistry REGISTRY = ResourceRegistry.builtIn();
    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "d"}, "spec": {
             "containers": [{"name": "a", "image": "a:1"}], "volumes": [{"name": "v"}]}}""";
    private static final String DEPLOYMENT = """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w", "namespace": "d"}, "spec": {
             "selector": {"matchLabels": {"app": "w"}}, "template": {"metadata": {"labels": {"app": "w"}}, "spec": {
             "containers": [{"name": "a", "image": "a:1"}]}}}}""";
    private static final String SERVICE = """
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "d"}, "spec": {
             "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": [{"port": 80}]}}""";
    private static final String JOB = """
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "d"}, "spec": {
             "manualSelector": true, "selector": {"matchLabels": {"app": "j"}},
             "template": {"metadata": {"labels": {"app": "j"}}, "spec": {"restartPolicy": "Never",
              "containers": [{"name": "a", "image": "a:1"}]}}}}""";
    private static final String CRON_JOB = """
            {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": "d"}, "spec": {
             "schedule": "*/5 * * * 1-5", "timeZone": "Europe/Berlin", "jobTemplate": {"spec": {"template": {"spec": {
              "restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1"}]}}}}}}""";
    private static final String MAP = """
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "d"},
             "data": {"k": "v"}}""";
    private static final String SECRET = """
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "m", "namespace": "d"},
             "data": {"k": "dg=="}}""";

    private static final String BUDGET = """
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "Any_name",
             "namespace": "d"},
             "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "w"}}}}""";
    private static final String EVENT = """
            {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "Any_name", "namespace": "d"},
             "involvedObject": {
             "kind": "Pod", "name": "p", "namespace": "d"}}""";

    @Test
    void hasNothingToSayAgainstValidObjects() {
        for (String json : List.of(POD, DEPLOYMENT, SERVICE, JOB, CRON_JOB, MAP, SECRET, BUDGET, EVENT)) {
            assertThat(created(ready(json))).as(json).isEmpty();
            assertThat(updated(ready(json), ready(json))).as("no change: %s", json).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            POD | {"metadata":{"labels":{"-a":"b"}}} \
                | metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' \
            or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
            '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
            POD \
                | {"spec":{"containers":[{"name":"a","image":"a:1","env":[{"name":"e",\
            "valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"spec.colour"}}}]}]}} \
                | spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.colour": error \
            converting fieldPath: field label not supported: spec.colour
            DEPLOYMENT | {"spec":{"strategy":{"type":"Sometimes"}}} \
                | spec.strategy: Unsupported value: {"type":"Sometimes","rollingUpdate":{"maxUnavailable":"25%",\
            "maxSurge":"25%"}}: supported values: "Recreate", "RollingUpdate"
            DEPLOYMENT | {"spec":{"strategy":{"rollingUpdate":{"maxSurge":""}}}} \
                | spec.strategy.rollingUpdate.maxSurge: Invalid value: "": a valid percent string must be a numeric \
            string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')
            BUDGET | {"metadata":{"name":"a%b"}} | metadata.name: Invalid value: "a%b": may not contain '%'
            BUDGET | {"spec":{"minAvailable":"101%"}} \
                | spec.minAvailable: Invalid value: "101%": must not be greater than 100%
            BUDGET | {"spec":{"minAvailable":null,"maxUnavailable":-1}} \
                | spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0
            BUDGET | {"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Near"}]}}} \
                | spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator
            BUDGET | {"spec":{"unhealthyPodEvictionPolicy":""}} \
                | spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", \
            "IfHealthyBudget"
            EVENT | {"involvedObject":{"namespace":"other"}} \
                | involvedObject.namespace: Invalid value: "other": does not match event.namespace
            EVENT | {"involvedObject":{"namespace":null}} \
                | involvedObject.namespace: Invalid value: "": does not match event.namespace
            POD | {"metadata":{"labels":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}} \
                | metadata.labels: Invalid value: \
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 63 bytes
            POD | {"metadata":{"finalizers":["x.io/a b"]}} \
                | metadata.finalizers: Invalid value: "x.io/a b": name part must consist of alphanumeric characters, \
            '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
            '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
            POD | {"metadata":{"finalizers":["orphan","x.io/a","mine"]}} \
                | metadata.finalizers[2]: Invalid value: "mine": name is neither a standard finalizer name nor is it \
            fully qualified
            POD | {"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x"}]}} \
                | metadata.ownerReferences.uid: Invalid value: "": must not be empty
            POD | {"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"a","image":"b:1"}]}} \
                | spec.containers[1].name: Duplicate value: "a"
            POD | {"spec":{"containers":[{"name":"a"}]}} | spec.containers[0].image: Required value
            POD | {"spec":{"containers":[{"image":"a:1"}]}} | spec.containers[0].name: Required value
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":70000}]}]}} \
                | spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, \
            inclusive
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":1,"protocol":"ICMP"}]}]}} \
                | spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", \
            "UDP"
            POD \
                | {"spec":{"containers":[{"name":"a","image":"a:1","ports":[{"containerPort":1,"hostPort":9},\
            {"containerPort":2,"hostPort":9}]}]}} \
                | spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","env":[{"name":"a=b"}]}]}} \
                | spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must \
            consist only of printable ASCII characters other than '='
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","env":[{"name":"a","valueFrom":{}}]}]}} \
                | spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, \
            `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","volumeMounts":[{"name":"x","mountPath":"/x"}]}]}} \
                | spec.containers[0].volumeMounts[0].name: Not found: "x"
            POD \
                | {"spec":{"containers":[{"name":"a","image":"a:1","volumeMounts":[{"name":"v","mountPath":"/x"},\
            {"name":"v","mountPath":"/x"}]}]}} \
                | spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","livenessProbe":{}}]}} \
                | spec.containers[0].livenessProbe: Required value: must specify a handler type
            POD \
                | {"spec":{"containers":[{"name":"a","image":"a:1","livenessProbe":{"exec":{"command":["x"]},\
            "successThreshold":2}}]}} \
                | spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1
            POD \
                | {"spec":{"containers":[{"name":"a","image":"a:1","resources":{"requests":{"cpu":"2"},\
            "limits":{"cpu":"1"}}}]}} \
                | spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit \
            of 1
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","resources":{"requests":{"cpu":"-1"}}}]}} \
                | spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","resources":{"requests":{"x.io/gpu":"1"}}}]}} \
                | spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable \
            resources
            POD | {"spec":{"volumes":[{"name":"v"},{"name":"v"}]}} | spec.volumes[1].name: Duplicate value: "v"
            POD | {"spec":{"volumes":[{"name":"v","emptyDir":{},"configMap":{"name":"x"}}]}} \
                | spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type
            POD | {"spec":{"volumes":[{"name":"v","hostPath":{"path":"/a/../b"}}]}} \
                | spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'
            POD | {"spec":{"restartPolicy":"Sometimes"}} \
                | spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","restartPolicyRules":[{"action":"Restart", \
            "exitCodes":{"operator":"In","values":[1]}}]}]}} \
                | spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are \
            used
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","restartPolicy":"Never","restartPolicyRules":[ \
            {"action":"Stop","exitCodes":{"operator":"In"}}]}]}} \
                | spec.containers[0].restartPolicyRules[0].action: Unsupported value: "Stop": supported values: \
            "Restart", "RestartAllContainers"
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","restartPolicy":"Never","restartPolicyRules":[ \
            {"action":"Restart","exitCodes":{}}]}]}} \
                | spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "": supported \
            values: "In", "NotIn"
            POD | {"spec":{"containers":[{"name":"a","image":"a:1","restartPolicy":"Never","restartPolicyRules":[ \
            {"action":"RestartAllContainers"}]}]}} \
                | spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified
            POD | {"spec":{"activeDeadlineSeconds":0}} \
                | spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive
            POD | {"spec":{"tolerations":[{"effect":"NoSchedule"}]}} \
                | spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which \
            means "match all values and all keys"
            POD | {"spec":{"initContainers":[{"name":"i","image":"i:1","livenessProbe":{"exec":{"command":["x"]}}}]}} \
                | spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without \
            restartPolicy=Always
            POD | {"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"+5"}}} \
                | metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+5": must be a \
            32bit integer
            POD | {"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"2147483648"}}} \
                | metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "2147483648": must \
            be a 32bit integer
            POD | {"spec":{"ephemeralContainers":[{"name":"e","image":"e:1"}]}} \
                | spec.ephemeralContainers: Forbidden: cannot be set on create
            DEPLOYMENT | {"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}}} \
                | spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' \
            or 'NotIn'; spec.selector: Invalid value: {"matchLabels":{"app":"w"},"matchExpressions":[{"key":"a",\
            "operator":"In"}]}: invalid label selector
            DEPLOYMENT | {"spec":{"template":{"spec":{"activeDeadlineSeconds":5}}}} \
                | spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not \
            Supported
            SERVICE | {"spec":{"ports":[]}} | spec.ports: Required value
            SERVICE | {"spec":{"ports":[{"port":1},{"port":2}]}} \
                | spec.ports[0].name: Required value; spec.ports[1].name: Required value
            SERVICE | {"spec":{"ports":[{"port":1,"name":"a"},{"port":1,"name":"b"}]}} \
                | spec.ports[1]: Duplicate value: {"Protocol":"TCP","Port":1}
            SERVICE | {"spec":{"type":"Magic"}} \
                | spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", \
            "LoadBalancer", "NodePort"
            SERVICE | {"spec":{"ports":[{"port":80,"nodePort":30000}]}} \
                | spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'
            JOB | {"spec":{"template":{"spec":{"restartPolicy":"Always"}}}} \
                | spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
            CRON_JOB | {"metadata":{"name":"a2345678901234567890123456789012345678901234567890123"}} \
                | metadata.name: Invalid value: "a2345678901234567890123456789012345678901234567890123": must be no \
            more than 52 characters
            CRON_JOB | {"spec":{"schedule":null}} | spec.schedule: Required value
            CRON_JOB | {"spec":{"schedule":"* * * *"}} \
                | spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]
            CRON_JOB | {"spec":{"schedule":"60 * * * *"}} \
                | spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60
            CRON_JOB | {"spec":{"schedule":"@every 5x"}} \
                | spec.schedule: Invalid value: "@every 5x": failed to parse duration @every 5x: time: unknown unit \
            "x" in duration "5x"
            CRON_JOB | {"spec":{"schedule":"TZ=UTC 0 3 * * *"}} \
                | spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use TZ or CRON_TZ in schedule, use \
            timeZone field instead
            CRON_JOB | {"spec":{"schedule":"TZ=0"}} \
                | spec.schedule: Invalid value: "TZ=0": invalid schedule format: runtime error: slice bounds out of \
            range [:-1]; spec.schedule: Invalid value: "TZ=0": cannot use TZ or CRON_TZ in schedule, use timeZone \
            field instead
            CRON_JOB | {"spec":{"timeZone":""}} \
                | spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string
            CRON_JOB | {"spec":{"timeZone":"Europe/Paradise"}} \
                | spec.timeZone: Invalid value: "Europe/Paradise": unknown time zone Europe/Paradise
            CRON_JOB | {"spec":{"timeZone":"../UTC"}} \
                | spec.timeZone: Invalid value: "../UTC": unknown time zone ../UTC
            CRON_JOB | {"spec":{"timeZone":"Local"}} \
                | spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in \
            https://www.iana.org/time-zones
            CRON_JOB | {"spec":{"concurrencyPolicy":"Maybe"}} \
                | spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"
            CRON_JOB | {"spec":{"startingDeadlineSeconds":-1,"failedJobsHistoryLimit":-1}} \
                | spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0; \
            spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0
            CRON_JOB | {"spec":{"jobTemplate":{"spec":{"selector":{"matchLabels":{"a":"b"}},"manualSelector":true}}}} \
                | spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be \
            auto-generated; spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", \
            "false"
            JOB | {"spec":{"parallelism":-1}} | spec.parallelism: Invalid value: -1: must be greater than or equal to 0
            MAP | {"data":{"a/b":"x"}} \
                | data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', \
            '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
            '[-._a-zA-Z0-9]+')
            MAP | {"binaryData":{"k":"dg=="}} | data[k]: Invalid value: "k": duplicate of key present in binaryData
            SECRET | {"type":"kubernetes.io/tls"} | data[tls.crt]: Required value; data[tls.key]: Required value
            """)
    void refusesAnInvalidNewObject(String base, String change, String causes) {
        ObjectNode object = ready(Patches.merge(ready(json(base)), Json.read(change)));

        assertThat(created(object)).containsExactly(causes.split("; (?=spec|data)"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            DEPLOYMENT | {"metadata":{"name":"x"}} | metadata.name: Invalid value: "x": field is immutable
            DEPLOYMENT | {"metadata":{"generation":-1}} \
                | metadata.generation: Invalid value: -1: must not be decremented
            DEPLOYMENT \
                | {"spec":{"selector":{"matchLabels":{"app":null,"b":"c"}},\
            "template":{"metadata":{"labels":{"b":"c"}}}}} \
                | spec.selector: Invalid value: {"matchLabels":{"b":"c"}}: field is immutable
            SERVICE | {"spec":{"clusterIP":"10.0.0.2","clusterIPs":["10.0.0.2"]}} \
                | spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set
            SERVICE | {"spec":{"clusterIP":null,"clusterIPs":null}} \
                | spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset
            JOB | {"spec":{"completions":5}} | spec.completions: Invalid value: 5: field is immutable
            JOB | {"spec":{"completionMode":"Indexed","completions":1}} \
                | spec.completionMode: Invalid value: "Indexed": field is immutable
            POD | {"spec":{"containers":[{"name":"a","image":"a:1"},{"name":"b","image":"b:1"}]}} \
                | spec.containers: Forbidden: pod updates may not add or remove containers
            POD | {"spec":{"activeDeadlineSeconds":0}} \
                | spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive
            SECRET | {"type":"x"} | type: Invalid value: "x": field is immutable
            """)
    void refusesAForbiddenChange(String base, String change, String cause) {
        ObjectNode old = ready(json(base));
        ObjectNode object = ready(Patches.merge(old, Json.read(change)));

        assertThat(updated(object, old)).containsOnly(cause); // upstream reports it twice for metadata
    }

    @Test
    void aZoneInAStoredScheduleStaysAllowedUntilTheCronJobNamesOneItself() {
        ObjectNode old = ready(Patches.merge(ready(CRON_JOB),
                Json.read("{\"spec\": {\"schedule\": \"TZ=UTC 0 3 * * *\", \"timeZone\": null}}")));
        JsonNode zone = Json.read("{\"spec\": {\"timeZone\": \"UTC\"}}");

        assertThat(updated(old, old)).isEmpty();
        assertThat(updated(ready(Patches.merge(old, zone)), old)).containsExactly(
                "spec.schedule: Invalid value: \"TZ=UTC 0 3 * * *\": cannot use both timeZone field and TZ or CRON_TZ"
                        + " in schedule");
    }

    @Test
    void onlyAPodsImagesDeadlineAndNewTolerationsMayChange() {
        ObjectNode old = ready(POD);
        ObjectNode allowed = ready(Patches.merge(old, Json.read("""
                {"spec": {"activeDeadlineSeconds": 5, "tolerations": [{"operator": "Exists"}],
                 "containers": [{"name": "a", "image": "other:2", "imagePullPolicy": "IfNotPresent"}]}}""")));
        ObjectNode forbidden = ready(Patches.merge(old, Json.read("{\"spec\": {\"hostNetwork\": true}}")));

        assertThat(updated(allowed, old)).isEmpty();
        assertThat(updated(forbidden, old)).singleElement().asString()
                .startsWith("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,")
                .contains("+ hostNetwork: true");
        assertThat(updated(old, allowed)).contains(
                "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
                "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds");
    }

    @Test
    void immutableDataStays() {
        ObjectNode old = ready(Patches.merge(ready(MAP), Json.read("{\"immutable\": true}")));
        ObjectNode object = ready(Patches.merge(old, Json.read("{\"immutable\": null, \"data\": {\"k\": \"w\"}}")));

        assertThat(updated(object, old)).containsExactly(
                "immutable: Forbidden: field is immutable when `immutable` is set",
                "data: Forbidden: field is immutable when `immutable` is set");
    }

    @Test
    void aTerminatingObjectGetsNoNewFinalizers() {
        ObjectNode old = ready(Patches.merge(ready(MAP),
                Json.read(
                        "{\"metadata\": {\"deletionTimestamp\": \"2026-01-01T00:00:00Z\", \"finalizers\": "
                                + "[\"x/a\"]}}")));
        ObjectNode object = Patches.merge(old, Json.read("{\"metadata\": {\"finalizers\": [\"x/a\", \"x/b\"]}}"));

        assertThat(updated(object, old))
                .containsOnly("metadata.finalizers: Forbidden: no new finalizers can be added"
                        + " if the object is being deleted, found new finalizers []string{\"x/b\"}");
    }

    @Test
    void aSuspendedJobsPodsMayBePlacedElsewhere() {
        ObjectNode old = ready(Patches.merge(ready(JOB), Json.read("{\"spec\": {\"suspend\": true}}")));
        JsonNode change = Json.read("{\"spec\": {\"template\": {\"spec\": {\"nodeSelector\": {\"a\": \"b\"}}}}}");

        assertThat(updated(ready(Patches.merge(old, change)), old)).isEmpty();
        ObjectNode running = ready(JOB);
        assertThat(updated(ready(Patches.merge(running, change)), running)).singleElement().asString()
                .startsWith("spec.template: Invalid value: {").endsWith("}: field is immutable");
    }

    @Test
    void checksTheStatusThatAControllerWrites() {
        ObjectNode old = ready(DEPLOYMENT);
        ObjectNode object = Patches.merge(old,
                Json.read("{\"status\": {\"replicas\": 1, \"readyReplicas\": 2, \"updatedReplicas\": -1}}"));

        assertThat(Strategies.of(type(object)).validateUpdate("status", object, old)).extracting(StatusCause::toString)
                .containsExactly(
                        "status.updatedReplicas: Invalid value: -1: must be greater than or equal to 0",
                        "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas");
    }

    private static String json(String name) {
        return switch (name) {
            case "POD" -> POD;
            case "DEPLOYMENT" -> DEPLOYMENT;
            case "SERVICE" -> SERVICE;
            case "JOB" -> JOB;
            case "CRON_JOB" -> CRON_JOB;
            case "MAP" -> MAP;
            case "SECRET" -> SECRET;
            case "BUDGET" -> BUDGET;
            case "EVENT" -> EVENT;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static ObjectNode ready(String json) {
        return ready((ObjectNode) Json.read(json));
    }

    private static ObjectNode ready(ObjectNode object) {
        FieldValidation.prune(Json.text(object, "apiVersion"), Json.text(object, "kind"), object);
        Defaults.apply(type(object), object);
        return object;
    }

    private static ResourceType type(ObjectNode object) {
        return Objects.requireNonNull(REGISTRY.findKind(Json.text(object, "apiVersion"), Json.text(object, "kind")))
                .type();
    }

    private static List<String> created(ObjectNode object) {
        return Strategies.of(type(object)).validate(type(object), object).stream().map(StatusCause::toString).toList();
    }

    private static List<String> updated(ObjectNode object, ObjectNode old) {
        return Strategies.of(type(object)).validateUpdate("", object, old).stream().map(StatusCause::toString).toList();
    }
}
