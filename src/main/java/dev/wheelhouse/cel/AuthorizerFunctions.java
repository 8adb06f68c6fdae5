package dev.wheelhouse.cel;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import dev.wheelhouse.api.Names;

import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.CelType;
import dev.cel.runtime.CelEvaluationException;

/**
 * The functions by which expressions ask what a user may do (upstream: {@code apiserver/pkg/cel/library/authz.go}).
 * Selectors are taken and have no effect, because no authorizer of this server reads them.
 */
public final class AuthorizerFunctions {
    private static final String PREFIX = "kubernetes.authorization.";
    private static final KubernetesLibrary.Type<Path> PATH = KubernetesLibrary.Type.opaque(PREFIX + "PathCheck",
            Path.class);
    private static final KubernetesLibrary.Type<Group> GROUP = KubernetesLibrary.Type.opaque(PREFIX + "GroupCheck",
            Group.class);
    private static final KubernetesLibrary.Type<Answer> DECISION = KubernetesLibrary.Type.opaque(PREFIX + "Decision",
            Answer.class);
    private static final KubernetesLibrary.Type<Authorizer> ASKING = KubernetesLibrary.Type
            .opaque(PREFIX + "Authorizer", Authorizer.class);
    private static final KubernetesLibrary.Type<Resource> OF_RESOURCE = KubernetesLibrary.Type
            .opaque(PREFIX + "ResourceCheck", Resource.class);
    static final CelType AUTHORIZER = ASKING.type();
    static final CelType RESOURCE = OF_RESOURCE.type();

    private AuthorizerFunctions() {}

    /**
     * A question of an expression, about a path or about a resource.
     *
     * @param accountNamespace the namespace of the service account in question; empty for the user of the request
     * @param path empty for a resource
     * @param namespace empty for all namespaces, and for cluster-scoped resources
     * @param name empty for all objects
     */
    public record Question(String accountNamespace, String account, String path, String verb, String group,
            String resource, String subresource, String namespace, String name) {
        /** About the resource of a request, without a verb. */
        public static Question of(String group, String resource, String subresource, String namespace, String name) {
            return new Question("", "", "", "", group, resource, subresource, namespace, name);
        }

        private Question verb(String other) {
            return new Question(accountNamespace, account, path, other, group, resource, subresource, namespace, name);
        }

        /** The same question about a resource, without a verb. */
        private Question about(String group, String resource, String subresource, String namespace, String name) {
            return new Question(accountNamespace, account, "", "", group, resource, subresource, namespace, name);
        }
    }

    /** @param reason may be empty */
    public record Answer(boolean allowed, String reason) {}

    private record Authorizer(Function<Question, Answer> rights, String namespace, String account) {
        Question question(String path, String group) {
            return new Question(namespace, account, path, "", group, "", "", "", "");
        }
    }

    private record Path(Function<Question, Answer> rights, Question question) {}

    private record Group(Function<Question, Answer> rights, Question question) {}

    private record Resource(Function<Question, Answer> rights, Question question) {
        Resource with(String subresource, String namespace, String name) {
            return new Resource(rights,
                    question.about(question.group, question.resource, subresource, namespace, name));
        }
    }

    /** The value of {@code authorizer}. */
    public static Object authorizer(Function<Question, Answer> rights) {
        return new Authorizer(rights, "", "");
    }

    /** The value of {@code authorizer.requestResource}. */
    public static Object requestResource(Function<Question, Answer> rights, Question resource) {
        return new Resource(rights, resource);
    }

    static void addTo(KubernetesLibrary library) {
        library.member("path", "authorizer_path", PATH, ASKING, STRING,
                (of, path) -> new Path(of.rights, of.question(filled("path", path), "")));
        library.member("group", "authorizer_group", GROUP, ASKING, STRING,
                (of, group) -> new Group(of.rights, of.question("", group)));
        library.member("serviceAccount", "authorizer_serviceaccount", ASKING, ASKING, STRING, STRING,
                a -> serviceAccount((Authorizer) a[0], (String) a[1], (String) a[2]));
        library.member("resource", "groupcheck_resource", OF_RESOURCE, GROUP, STRING, (of, resource) -> new Resource(
                of.rights, of.question.about(of.question.group, filled("resource", resource), "", "", "")));
        library.member("subresource", "resourcecheck_subresource", OF_RESOURCE, OF_RESOURCE, STRING,
                (of, subresource) -> of.with(subresource, of.question.namespace, of.question.name));
        library.member("namespace", "resourcecheck_namespace", OF_RESOURCE, OF_RESOURCE, STRING,
                (of, namespace) -> of.with(of.question.subresource, namespace, of.question.name));
        library.member("name", "resourcecheck_name", OF_RESOURCE, OF_RESOURCE, STRING,
                (of, name) -> of.with(of.question.subresource, of.question.namespace, name));
        for (String selector : List.of("fieldSelector", "labelSelector")) {
            library.member(selector, "resourcecheck_" + selector.toLowerCase(Locale.ROOT), OF_RESOURCE, OF_RESOURCE,
                    STRING, (of, ignored) -> of);
        }
        library.member("check", Costs.CHECK_OF_PATH, DECISION, PATH, STRING,
                (of, verb) -> of.rights.apply(of.question.verb(verb)));
        library.member("check", Costs.CHECK_OF_RESOURCE, DECISION, OF_RESOURCE, STRING,
                (of, verb) -> of.rights.apply(of.question.verb(verb)));
        library.member("errored", "decision_errored", BOOL, DECISION, answer -> false);
        library.member("error", "decision_error", STRING, DECISION, answer -> "");
        library.member("allowed", "decision_allowed", BOOL, DECISION, Answer::allowed);
        library.member("reason", "decision_reason", STRING, DECISION, Answer::reason);
    }

    private static Authorizer serviceAccount(Authorizer from, String namespace, String name)
            throws CelEvaluationException {
        if (!Names.isSubdomain(name)) {
            throw new CelEvaluationException("Invalid service account name");
        }
        if (!Names.isLabel(namespace)) {
            throw new CelEvaluationException("Invalid service account namespace");
        }
        return new Authorizer(from.rights, namespace, name);
    }

    private static String filled(String what, String text) throws CelEvaluationException {
        if (text.isBlank()) {
            throw new CelEvaluationException(what + " must not be empty");
        }
        return text;
    }
}
