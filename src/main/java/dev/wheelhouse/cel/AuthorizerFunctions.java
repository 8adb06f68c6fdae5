package dev.wheelhouse.cel;

import java.util.function.Function;

import dev.wheelhouse.api.Names;

import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/**
 * The functions by which expressions ask what a user may do (upstream: {@code apiserver/pkg/cel/library/authz.go}).
 * Selectors are taken and have no effect, because no authorizer of this server reads them.
 */
public final class AuthorizerFunctions {
    static final CelType AUTHORIZER = OpaqueType.create("kubernetes.authorization.Authorizer");
    static final CelType RESOURCE = OpaqueType.create("kubernetes.authorization.ResourceCheck");
    private static final CelType PATH = OpaqueType.create("kubernetes.authorization.PathCheck");
    private static final CelType GROUP = OpaqueType.create("kubernetes.authorization.GroupCheck");
    private static final CelType DECISION = OpaqueType.create("kubernetes.authorization.Decision");

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
            return new Resource(rights, new Question(question.accountNamespace, question.account, "", "",
                    question.group, question.resource, subresource, namespace, name));
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
        KubernetesLibrary.Argument authorizer = new KubernetesLibrary.Argument(AUTHORIZER, Authorizer.class);
        KubernetesLibrary.Argument path = new KubernetesLibrary.Argument(PATH, Path.class);
        KubernetesLibrary.Argument group = new KubernetesLibrary.Argument(GROUP, Group.class);
        KubernetesLibrary.Argument resource = new KubernetesLibrary.Argument(RESOURCE, Resource.class);
        KubernetesLibrary.Argument decision = new KubernetesLibrary.Argument(DECISION, Answer.class);
        library.member("path", "authorizer_path", PATH, a -> new Path(((Authorizer) a[0]).rights,
                ((Authorizer) a[0]).question(filled("path", (String) a[1]), "")), authorizer, STRING);
        library.member("group", "authorizer_group", GROUP, a -> new Group(((Authorizer) a[0]).rights,
                ((Authorizer) a[0]).question("", (String) a[1])), authorizer, STRING);
        library.member("serviceAccount", "authorizer_serviceaccount", AUTHORIZER,
                a -> serviceAccount((Authorizer) a[0], (String) a[1], (String) a[2]), authorizer, STRING, STRING);
        library.member("resource", "groupcheck_resource", RESOURCE, a -> {
            Question asked = ((Group) a[0]).question;
            return new Resource(((Group) a[0]).rights, new Question(asked.accountNamespace, asked.account, "", "",
                    asked.group, filled("resource", (String) a[1]), "", "", ""));
        }, group, STRING);
        library.member("subresource", "resourcecheck_subresource", RESOURCE, a -> {
            Question asked = ((Resource) a[0]).question;
            return ((Resource) a[0]).with((String) a[1], asked.namespace, asked.name);
        }, resource, STRING);
        library.member("namespace", "resourcecheck_namespace", RESOURCE, a -> {
            Question asked = ((Resource) a[0]).question;
            return ((Resource) a[0]).with(asked.subresource, (String) a[1], asked.name);
        }, resource, STRING);
        library.member("name", "resourcecheck_name", RESOURCE, a -> {
            Question asked = ((Resource) a[0]).question;
            return ((Resource) a[0]).with(asked.subresource, asked.namespace, (String) a[1]);
        }, resource, STRING);
        library.member("fieldSelector", "resourcecheck_fieldselector", RESOURCE, a -> a[0], resource, STRING);
        library.member("labelSelector", "resourcecheck_labelselector", RESOURCE, a -> a[0], resource, STRING);
        library.member("check", Costs.CHECK_OF_PATH, DECISION,
                a -> ((Path) a[0]).rights.apply(((Path) a[0]).question.verb((String) a[1])), path, STRING);
        library.member("check", Costs.CHECK_OF_RESOURCE, DECISION,
                a -> ((Resource) a[0]).rights.apply(((Resource) a[0]).question.verb((String) a[1])), resource, STRING);
        library.member("errored", "decision_errored", SimpleType.BOOL, a -> false, decision);
        library.member("error", "decision_error", SimpleType.STRING, a -> "", decision);
        library.member("allowed", "decision_allowed", SimpleType.BOOL, a -> ((Answer) a[0]).allowed, decision);
        library.member("reason", "decision_reason", SimpleType.STRING, a -> ((Answer) a[0]).reason, decision);
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
