package dev.wheelhouse.operator;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Capabilities;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1EmptyDirVolumeSource;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.Webhooks;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.runtime.YamlWriter;

/**
 * The objects that a cluster needs for operators: the CustomResourceDefinitions of their classes, a service account
 * with exactly the rights that they declare, a Service if they have webhooks, and a Deployment if an image is named.
 * They are written as files for kubectl, as a Helm chart, or as a bundle for the Operator Lifecycle Manager (OLM). A
 * unit test keeps a file of them current: it compares {@code Manifests.of(new WebsiteOperator()).yaml()} with the file.
 * Not thread safe.
 *
 * <p>As a program: {@code java -cp … dev.wheelhouse.operator.Manifests com.example.WebsiteOperator [--output DIR]
 * [--chart DIR] [--bundle DIR] [--namespace NAMESPACE] [--name NAME] [--image IMAGE] [--version VERSION]}.
 */
public final class Manifests {
    /** The variable by which the Deployment tells {@link Wheelhouse} the port of the probes. */
    static final String HEALTH_PORT = "OPERATOR_HEALTH_PORT";

    private static final String USAGE = "usage: Manifests OPERATOR-CLASS… [--output DIRECTORY] [--chart DIRECTORY]"
            + " [--bundle DIRECTORY] [--namespace NAMESPACE] [--name NAME] [--image IMAGE] [--version VERSION]";

    private final List<Declaration<?>> operators;
    private final Webhooks webhooks;
    private String name;
    private String namespace = "default";
    private @Nullable String image;
    private String version = "0.1.0";
    private int probePort = 8081;
    private String live = "/livez";
    private String ready = "/readyz";
    private Consumer<? super V1Deployment> change = made -> {};

    private Manifests(List<Declaration<?>> operators, Webhooks webhooks) {
        this.operators = operators;
        this.webhooks = webhooks;
        this.name = operators.getFirst().name();
    }

    /**
     * The manifests of operators that run in one process.
     *
     * @throws IllegalArgumentException if there is none, or a declaration cannot work
     */
    public static Manifests of(Operator<?>... operators) {
        return of(List.of(operators));
    }

    private static Manifests of(Collection<? extends Operator<?>> operators) {
        if (operators.isEmpty()) {
            throw new IllegalArgumentException("there is no operator to make manifests of");
        }
        List<Declaration<?>> declarations = new ArrayList<>();
        operators.forEach(operator -> declarations.add(Declaration.of(operator)));
        return new Manifests(declarations, Operators.webhooks(operators));
    }

    /** The namespace that the operators run in. The default is {@code default}. */
    public Manifests namespace(String value) {
        namespace = value;
        return this;
    }

    /** The name of the service account, the roles and the Deployment. The default is the first operator's name. */
    public Manifests name(String value) {
        name = value;
        return this;
    }

    /**
     * Adds a Deployment of this image, which runs the operators. It keeps the restricted Pod Security Standard: the
     * image must not run as root, and may write only into {@code /tmp}.
     */
    public Manifests image(String value) {
        image = value;
        return this;
    }

    /**
     * The version of the chart and the bundle. The default is {@code 0.1.0}.
     *
     * @throws IllegalArgumentException if it is no semantic version, which both demand
     */
    public Manifests version(String value) {
        if (!value.matches("\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?")) {
            throw new IllegalArgumentException("the version \"" + value + "\" is no semantic version, such as 1.0.0");
        }
        version = value;
        return this;
    }

    /**
     * The port and the paths of the Deployment's probes, for a program that answers them itself: 8080,
     * {@code /actuator/health/liveness} and {@code /actuator/health/readiness} of a Spring Boot application. By default
     * {@link Wheelhouse} answers on port 8081, of which the Deployment tells it.
     */
    public Manifests probes(int port, String livePath, String readyPath) {
        probePort = port;
        live = livePath;
        ready = readyPath;
        return this;
    }

    /** Changes the Deployment before it is written, such as its resources or its replicas. */
    public Manifests deployment(Consumer<? super V1Deployment> further) {
        change = further;
        return this;
    }

    /** The same with another namespace and image, which may be expressions of a template. */
    Manifests with(String otherNamespace, String otherImage) {
        Manifests other = new Manifests(operators, webhooks);
        other.name = name;
        other.namespace = otherNamespace;
        other.image = otherImage;
        other.probes(probePort, live, ready).deployment(change);
        return other;
    }

    /** The objects, in an order in which they can be created. */
    public List<KubernetesObject> objects() {
        return files().values().stream().flatMap(List::stream).toList();
    }

    /** The objects as YAML. The text changes only if an object does. */
    public String yaml() {
        return yaml(objects());
    }

    /** Documents, each with a line {@code ---} before it. Empty fields are left out. */
    static String yaml(Collection<?> objects) {
        return objects.stream().map(object -> "---\n" + YamlWriter.write(SafeYaml.load(ModelJson.writeBytes(object))))
                .collect(Collectors.joining());
    }

    /**
     * Writes {@code crds.yaml} and {@code rbac.yaml}, {@code webhooks.yaml} if there are webhooks,
     * {@code deployment.yaml} if there is an image, and {@code kustomization.yaml}, which names them:
     * {@code kubectl apply -k} takes the directory.
     *
     * @param directory is created if there is none
     */
    public void writeTo(Path directory) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        files().forEach((file, objects) -> files.put(file, yaml(objects)));
        files.put("kustomization.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"
                + files.keySet().stream().map(file -> "- " + file + "\n").collect(Collectors.joining()));
        write(files, directory);
    }

    /**
     * Writes a Helm chart. Its values are the image, the replicas, the resources and where the pods may run. Helm
     * installs the definitions, but never updates them: {@link CrdPolicy#INSTALL} does.
     *
     * @throws IllegalArgumentException if there is no image
     */
    public void writeChartTo(Path directory) throws IOException {
        write(ManifestPackages.chart(this, name, version, image()), directory);
    }

    /**
     * Writes a bundle for OLM: a ClusterServiceVersion, the definitions, annotations, and the {@code bundle.Dockerfile}
     * of its image.
     *
     * @throws IllegalArgumentException if there is no image
     */
    public void writeBundleTo(Path directory) throws IOException {
        image();
        write(ManifestPackages.bundle(this, name, version), directory);
    }

    private String image() {
        if (image == null) {
            throw new IllegalArgumentException("a chart and a bundle run an image: name it by image(…) or --image");
        }
        return image;
    }

    private static void write(Map<String, String> files, Path directory) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = directory.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
    }

    Map<String, List<KubernetesObject>> files() {
        Map<String, List<KubernetesObject>> files = new LinkedHashMap<>();
        List<KubernetesObject> definitions = new ArrayList<>();
        operators.stream().filter(operator -> operator.facts().definition() == null || operator.crd() != CrdPolicy.WAIT)
                .flatMap(operator -> operator.definition().stream()).distinct().forEach(definitions::add);
        if (!definitions.isEmpty()) {
            files.put("crds.yaml", definitions);
        }
        files.put("rbac.yaml", new Rbac(name, namespace, operators, webhooks).objects());
        if (!webhooks.isEmpty()) {
            files.put("webhooks.yaml", List.of(service()));
        }
        if (image != null) {
            files.put("deployment.yaml", List.of(deployment(image)));
        }
        return files;
    }

    /**
     * The Service through which API servers call the webhooks. The operator itself makes the certificates and the
     * configurations.
     */
    private V1Service service() {
        WebhookOptions options = WebhookOptions.behind(namespace, name);
        return new V1Service().apiVersion("v1").kind("Service")
                .metadata(new V1ObjectMeta().namespace(namespace).name(options.service()))
                .spec(new V1ServiceSpec().selector(Map.of("app.kubernetes.io/name", name))
                        .addPortsItem(new V1ServicePort().name("webhooks").port(443)
                                .targetPort(new IntOrString(options.port()))));
    }

    private V1Deployment deployment(String of) {
        Map<String, String> labels = Map.of("app.kubernetes.io/name", name);
        V1Container container = new V1Container().name("operator").image(of)
                .addPortsItem(new V1ContainerPort().name("health").containerPort(probePort))
                .livenessProbe(probe(live)).readinessProbe(probe(ready))
                .resources(new V1ResourceRequirements().putRequestsItem("cpu", Quantity.fromString("100m"))
                        .putRequestsItem("memory", Quantity.fromString("512Mi"))
                        .putLimitsItem("memory", Quantity.fromString("512Mi")))
                .addVolumeMountsItem(new V1VolumeMount().name("tmp").mountPath("/tmp"))
                .securityContext(new V1SecurityContext().allowPrivilegeEscalation(false).readOnlyRootFilesystem(true)
                        .capabilities(new V1Capabilities().addDropItem("ALL")));
        if (live.equals("/livez")) {
            container.addEnvItem(new V1EnvVar().name(HEALTH_PORT).value(String.valueOf(probePort)));
        }
        if (!webhooks.isEmpty()) {
            container.addPortsItem(new V1ContainerPort().name("webhooks")
                    .containerPort(WebhookOptions.behind(namespace, name).port()));
        }
        V1Deployment made = new V1Deployment().apiVersion("apps/v1").kind("Deployment")
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(labels))
                .spec(new V1DeploymentSpec().replicas(1).selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels))
                                .spec(new V1PodSpec().serviceAccountName(name)
                                        .securityContext(new V1PodSecurityContext().runAsNonRoot(true)
                                                .seccompProfile(new V1SeccompProfile().type("RuntimeDefault")))
                                        .addVolumesItem(new V1Volume().name("tmp")
                                                .emptyDir(new V1EmptyDirVolumeSource()))
                                        .addContainersItem(container))));
        change.accept(made);
        return made;
    }

    private static V1Probe probe(String path) {
        return new V1Probe().httpGet(new V1HTTPGetAction().path(path).port(new IntOrString("health")));
    }

    /**
     * Prints the manifests, or writes them to a directory. A wrong argument ends with one sentence and the exit code 1.
     */
    public static void main(String[] args) {
        Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> System.err.println(e.getMessage()));
        run(List.of(args), System.out);
    }

    static void run(List<String> args, PrintStream out) {
        List<Operator<?>> operators = new ArrayList<>();
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (!arg.startsWith("--")) {
                operators.add(operator(arg));
            } else if (List.of("--output", "--chart", "--bundle", "--namespace", "--name", "--image", "--version")
                    .contains(arg) && i + 1 < args.size()) {
                options.put(arg, args.get(++i));
            } else {
                throw new IllegalArgumentException(arg + " is unknown or lacks its value; " + USAGE);
            }
        }
        if (operators.isEmpty()) {
            throw new IllegalArgumentException(USAGE);
        }
        Manifests manifests = of(operators).namespace(options.getOrDefault("--namespace", "default"));
        manifests.name(options.getOrDefault("--name", manifests.name)).version(options.getOrDefault("--version",
                manifests.version)).image = options.get("--image");
        Map<String, Writer> writers = Map.of("--output", manifests::writeTo, "--chart", manifests::writeChartTo,
                "--bundle", manifests::writeBundleTo);
        if (Collections.disjoint(options.keySet(), writers.keySet())) {
            out.print(manifests.yaml());
        }
        options.forEach((option, directory) -> {
            try {
                writers.getOrDefault(option, ignored -> {}).write(Path.of(directory));
            } catch (IOException e) {
                throw new IllegalArgumentException("the directory " + directory + " cannot be written: " + e, e);
            }
        });
    }

    private interface Writer {
        void write(Path directory) throws IOException;
    }

    private static Operator<?> operator(String className) {
        try {
            Object made = Class.forName(className).getDeclaredConstructor().newInstance();
            if (made instanceof Operator<?> operator) {
                return operator;
            }
            throw new IllegalArgumentException(className + " is no operator: it must implement DecidingOperator or"
                    + " ReconcilingOperator");
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(className + " is not on the class path", e);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("the constructor of " + className + " failed: " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(className + " has no public constructor without parameters: call"
                    + " Manifests.of(new " + className.substring(className.lastIndexOf('.') + 1)
                    + "(…)) in a program of your own", e);
        }
    }
}
