package dev.wheelhouse.operator;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Capabilities;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.operator.webhook.WebhookOptions;
import dev.wheelhouse.operator.webhook.Webhooks;
import dev.wheelhouse.runtime.SafeYaml;
import dev.wheelhouse.runtime.YamlWriter;

/**
 * The objects that a cluster needs for operators: the CustomResourceDefinitions of their classes, a service account
 * with exactly the rights that they declare, a Service if they have webhooks, and a Deployment if an image is named. A
 * unit test keeps a file of them current: it compares {@code Manifests.of(new WebsiteOperator()).yaml()} with the file.
 * Not thread safe.
 *
 * <p>As a program: {@code java -cp … dev.wheelhouse.operator.Manifests com.example.WebsiteOperator [--output DIR]
 * [--namespace NAMESPACE] [--name NAME] [--image IMAGE]}.
 */
public final class Manifests {
    private static final String USAGE = "usage: Manifests OPERATOR-CLASS… [--output DIRECTORY] [--namespace NAMESPACE]"
            + " [--name NAME] [--image IMAGE]";

    private final List<Declaration<?>> operators;
    private final Webhooks webhooks;
    private String name;
    private String namespace = "default";
    private @Nullable String image;

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

    /** Adds a Deployment of this image, which runs the operators. */
    public Manifests image(String value) {
        image = value;
        return this;
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
     * Writes {@code crds.yaml} and {@code rbac.yaml}, {@code webhooks.yaml} if there are webhooks, and
     * {@code deployment.yaml} if there is an image.
     *
     * @param directory is created if there is none
     */
    public void writeTo(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Map.Entry<String, List<KubernetesObject>> file : files().entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), yaml(file.getValue()));
        }
    }

    private Map<String, List<KubernetesObject>> files() {
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
        return new V1Deployment().apiVersion("apps/v1").kind("Deployment")
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(labels))
                .spec(new V1DeploymentSpec().replicas(1).selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels))
                                .spec(new V1PodSpec().serviceAccountName(name)
                                        .securityContext(new V1PodSecurityContext().runAsNonRoot(true)
                                                .seccompProfile(new V1SeccompProfile().type("RuntimeDefault")))
                                        .addContainersItem(new V1Container().name("operator").image(of)
                                                .securityContext(new V1SecurityContext()
                                                        .allowPrivilegeEscalation(false)
                                                        .capabilities(new V1Capabilities().addDropItem("ALL")))))));
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
            } else if (List.of("--output", "--namespace", "--name", "--image").contains(arg) && i + 1 < args.size()) {
                options.put(arg, args.get(++i));
            } else {
                throw new IllegalArgumentException(arg + " is unknown or lacks its value; " + USAGE);
            }
        }
        if (operators.isEmpty()) {
            throw new IllegalArgumentException(USAGE);
        }
        Manifests manifests = of(operators).namespace(options.getOrDefault("--namespace", "default"));
        manifests.name(options.getOrDefault("--name", manifests.name)).image = options.get("--image");
        String output = options.get("--output");
        if (output == null) {
            out.print(manifests.yaml());
        } else {
            try {
                manifests.writeTo(Path.of(output));
            } catch (IOException e) {
                throw new IllegalArgumentException("the directory " + output + " cannot be written: " + e, e);
            }
        }
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
