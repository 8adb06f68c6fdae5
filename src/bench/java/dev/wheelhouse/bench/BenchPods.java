package dev.wheelhouse.bench;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** The JSON of pods as an API server sends it, to be measured with: the same ones in each run. */
public final class BenchPods {
    /** The shape of the pods. */
    public enum Kind {
        /** Of 200 templates; what differs between the pods of one differs, and nothing else: some four kilobytes. */
        TEMPLATES,
        /** As long, but no text, number or list comes twice: what is seen before is never seen again. */
        DISTINCT,
        /** One container and little else: less than one kilobyte. */
        SMALL
    }

    private static final int TEMPLATES = 200;

    private BenchPods() {}

    /**
     * One pod.
     *
     * @param version its resource version; another one with the same number is the same pod, changed
     */
    public static byte[] json(Kind kind, int number, long version) {
        SplittableRandom own = new SplittableRandom(31L * number + 7);
        SplittableRandom shared = kind == Kind.DISTINCT ? own : new SplittableRandom(number % TEMPLATES);
        String app = "service-" + hex(shared, 6);
        String name = app + "-" + hex(shared, 10) + "-" + Integer.toString(number, 36);
        String text = kind == Kind.SMALL
                ? small(app, name, "team-" + number % 20, own, version)
                : large(app, name, "team-" + number % 20, shared, own, version);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String small(String app, String name, String namespace, SplittableRandom own, long version) {
        return """
                {"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"%s",\
                "resourceVersion":"%d",\
                "creationTimestamp":"2026-11-21T08:%02d:%02dZ","labels":{"app":"%s"}},\
                "spec":{"containers":[{"name":"app","image":"registry.example.com/%s:1.0"}],"nodeName":"worker-%d"},\
                "status":{"phase":"Running","podIP":"10.0.%d.%d"}}"""
                .formatted(name, namespace, hex(own, 32), version, own.nextInt(60), own.nextInt(60), app, app,
                        own.nextInt(500), own.nextInt(250), own.nextInt(250));
    }

    private static String large(String app, String name, String namespace, SplittableRandom shared,
            SplittableRandom own,
            long version) {
        String token = "kube-api-access-" + hex(own, 5);
        String started = "2026-%02d-%02dT%02d:%02d:%02dZ".formatted(1 + own.nextInt(12), 1 + own.nextInt(28),
                own.nextInt(24), own.nextInt(60), own.nextInt(60));
        String ip = "10." + own.nextInt(250) + "." + own.nextInt(250) + "." + own.nextInt(250);
        StringBuilder json = new StringBuilder(8192);
        json.append(
                """
                        {"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","generateName":"%s-","namespace":"%s",\
                        "uid":"%s",\
                        "resourceVersion":"%d","creationTimestamp":"%s","labels":{"app.kubernetes.io/name":"%s",\
                        "app.kubernetes.io/instance":"%s","pod-template-hash":"%s"},\
                        "annotations":{"checksum/config":"%s",\
                        "cni.projectcalico.org/podIP":"%s/32","prometheus.io/scrape":"true"},\
                        "ownerReferences":[{"apiVersion":"apps/v1",\
                        "kind":"ReplicaSet","name":"%s","uid":"%s","controller":true,"blockOwnerDeletion":true}],\
                        "managedFields":[\
                        {"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"%s",\
                        "fieldsType":"FieldsV1","fieldsV1":\
                        {"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:lastTransitionTime":{},\
                        "f:status":{}}},\
                        "f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}},\
                        "subresource":"status"}]},"""
                        .formatted(name, app, namespace, hex(own, 32), version, started, app, app, hex(shared, 9),
                                hex(shared, 32), ip, app, hex(shared, 32), started));
        json.append(
                """
                        "spec":{"volumes":[{"name":"config","configMap":{"name":"%s-config","defaultMode":420}},\
                        {"name":"%s",\
                        "projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},\
                        {"configMap":{"name":\
                        "kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],\
                        "containers":["""
                        .formatted(app, token));
        for (int container = 0; container < 2; container++) {
            int port = 1024 + shared.nextInt(60_000);
            json.append(container == 0 ? "" : ",")
                    .append("""
                            {"name":"c%d-%s","image":"registry.example.com/%s:%s","args":["--port=%d",\
                            "--config=/etc/app/%s.yaml"],\
                            "ports":[{"name":"http","containerPort":%d,"protocol":"TCP"}],\
                            "env":[{"name":"SERVICE_NAME","value":"%s"},\
                            {"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}},\
                            {"name":"SECRET",\
                            "value":"%s"}],"resources":{"limits":{"cpu":"%dm","memory":"%dMi"},\
                            "requests":{"cpu":"%dm","memory":"%dMi"}},\
                            "volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/app"},{"name":"%s",\
                            "readOnly":true,\
                            "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],\
                            "livenessProbe":{"httpGet":{"path":"/%s","port":%d,\
                            "scheme":"HTTP"},"initialDelaySeconds":10,"timeoutSeconds":2,"periodSeconds":%d,\
                            "failureThreshold":3},\
                            "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",\
                            "imagePullPolicy":"IfNotPresent"}"""
                            .formatted(container, hex(shared, 4), app, hex(shared, 8), port, hex(shared, 8), port, app,
                                    hex(shared, 24), shared.nextInt(4000), shared.nextInt(4000), shared.nextInt(1000),
                                    shared.nextInt(1000), token, hex(shared, 8), port, 1 + shared.nextInt(1000)));
        }
        json.append(
                """
                        ],"restartPolicy":"Always","terminationGracePeriodSeconds":%d,"dnsPolicy":"ClusterFirst",\
                        "serviceAccountName":"%s",\
                        "serviceAccount":"%s","nodeName":"worker-%s.eu-west-1.compute.internal",\
                        "schedulerName":"default-scheduler",\
                        "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",\
                        "tolerationSeconds":300}],\
                        "priority":0,"enableServiceLinks":true},"status":{"phase":"Running","conditions":["""
                        .formatted(shared.nextInt(1, 100), app, app, own.nextInt(2000)));
        for (String condition : new String[]{"Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
            json.append(condition.equals("Initialized") ? "" : ",").append("""
                    {"type":"%s","status":"True","lastProbeTime":null,"lastTransitionTime":"%s"}"""
                    .formatted(condition, started));
        }
        json.append(
                """
                        ],"hostIP":"172.20.0.%d","podIP":"%s","podIPs":[{"ip":"%s"}],"startTime":"%s",\
                        "containerStatuses":[{"name":"c0",\
                        "state":{"running":{"startedAt":"%s"}},"lastState":{},"ready":true,"restartCount":%d,"image":\
                        "registry.example.com/%s","imageID":"registry.example.com/%s@sha256:%s",\
                        "containerID":"containerd://%s",\
                        "started":true}],"qosClass":"Burstable"}}"""
                        .formatted(own.nextInt(250), ip, ip, started, started, own.nextInt(4), app, app,
                                hex(shared, 64),
                                hex(own, 64)));
        return json.toString();
    }

    private static String hex(SplittableRandom random, int digits) {
        byte[] bytes = new byte[(digits + 1) / 2];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes).substring(0, digits);
    }
}
