package dev.wheelhouse.cel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;

/**
 * Compiles the expressions of one admission policy, and finds their type errors for objects of one kind (upstream:
 * {@code apiserver/pkg/admission/plugin/cel/compile.go} and {@code composition.go},
 * {@code plugin/policy/validating/typechecking.go}). For one thread.
 */
public final class PolicyTypes {
    /** The variables of a policy, a struct that grows with each of them. */
    private static final String VARIABLES = "kubernetes.variables";
    private static final CelType STRINGS = ListType.create(SimpleType.STRING);

    private final SchemaTypes types = new SchemaTypes();
    private final Map<String, CelType> variables = new LinkedHashMap<>();
    /** Creates compilers that know what expressions can name. */
    private final Supplier<CelCompilerBuilder> builders;
    private final CelCompiler compiler;

    /**
     * A kind with the schema of its objects.
     *
     * @param schemas all schemas of its group and version, as an OpenAPI document names them
     * @param name the name of its schema among them
     */
    public record Definition(String kind, JsonNode schemas, String name) {}

    /**
     * For checks.
     *
     * @param objects of the policy
     * @param hasParams whether the policy has parameters
     * @param params null if their schema is unknown; their type is then dynamic
     */
    public PolicyTypes(Definition objects, boolean hasParams, @Nullable Definition params) {
        CelType object = type(objects);
        CelType param = params == null ? SimpleType.DYN : type(params);
        this.builders = builders(object, hasParams ? param : null, true);
        this.compiler = builders.get().build();
    }

    private PolicyTypes(boolean hasParams, boolean hasVariables) {
        this.builders = builders(SimpleType.DYN, hasParams ? SimpleType.DYN : null, hasVariables);
        this.compiler = builders.get().build();
    }

    private PolicyTypes(Supplier<CelCompilerBuilder> builders) {
        this.builders = builders;
        this.compiler = builders.get().build();
    }

    /** For expressions about one value without a type. @param name of the value */
    public static PolicyTypes ofValue(String name) {
        return new PolicyTypes(() -> CelEnvironment.builder().addVar(name, SimpleType.DYN));
    }

    /** For the expressions of a policy for any objects. */
    public static PolicyTypes ofPolicy(boolean hasParams) {
        return new PolicyTypes(hasParams, true);
    }

    /** For match conditions of webhooks, and those of policies when they are written, which have no variables. */
    public static PolicyTypes ofConditions(boolean hasParams) {
        return new PolicyTypes(hasParams, false);
    }

    private Supplier<CelCompilerBuilder> builders(CelType object, @Nullable CelType params, boolean hasVariables) {
        CelType namespace = namespace();
        CelType request = request();
        CelType composed = types.declare(VARIABLES, Map.of());
        return () -> {
            CelCompilerBuilder builder = CelEnvironment.builder().setTypeProvider(types).addVar("object", object)
                    .addVar("oldObject", object).addVar("namespaceObject", namespace).addVar("request", request)
                    .addVar("authorizer", AuthorizerFunctions.AUTHORIZER)
                    .addVar("authorizer.requestResource", AuthorizerFunctions.RESOURCE);
            if (hasVariables) {
                builder.addVar("variables", composed);
            }
            return params == null ? builder : builder.addVar("params", params);
        };
    }

    /** @throws RuleException if the expression does not compile, or has another type */
    public CelExpression compile(String expression, CelExpression.ResultType wanted) throws RuleException {
        CelAbstractSyntaxTree tree = CelEnvironment.checked(wanted.isPatch() ? constructing(expression) : compiler,
                "expression", expression);
        wanted.check(tree.getResultType());
        return new CelExpression(CelEnvironment.program("expression",
                wanted.isPatch() ? PatchTypes.rewritten(tree) : tree));
    }

    /** A compiler that also knows the types of patches. */
    private CelCompiler constructing(String expression) throws RuleException {
        return builders.get().addLibraries(PatchTypes.LIBRARY)
                .setTypeProvider(new PatchTypes(types, CelEnvironment.parsed(compiler, "expression", expression)))
                .build();
    }

    /** The name of the type has a digit, so that the name of the kind in an expression is none. */
    private CelType type(Definition definition) {
        CelType type = types.declare(definition.kind() + "0", definition.schemas().path(definition.name()), true,
                definition.schemas());
        return type == null ? SimpleType.DYN : type;
    }

    /** Adds a variable, which later expressions may use. The type of one with errors is dynamic. */
    public void addVariable(String name, String expression) {
        variables.put(name, declared(result(expression)));
        types.declare(VARIABLES, variables);
    }

    /** The type errors of an expression, each with its place, in lines; empty if there are none. */
    public String errors(String expression) {
        try {
            CelEnvironment.checked(compiler, "expression", "", expression);
            return "";
        } catch (RuleException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private CelType result(String expression) {
        try {
            return CelEnvironment.checked(compiler, "expression", expression).getResultType();
        } catch (RuleException e) {
            return SimpleType.DYN;
        }
    }

    /** The type of a variable with a value of this type: structs are dynamic. */
    private static CelType declared(CelType type) {
        return switch (type) {
            case SimpleType simple -> simple;
            case ListType list -> ListType.create(declared(list.elemType()));
            case MapType map -> MapType.create(declared(map.keyType()), declared(map.valueType()));
            default -> SimpleType.DYN;
        };
    }

    private CelType request() {
        CelType kind = types.declare("kubernetes.GroupVersionKind", texts("group", "version", "kind"));
        CelType resource = types.declare("kubernetes.GroupVersionResource", texts("group", "version", "resource"));
        Map<String, CelType> user = texts("username", "uid");
        user.put("groups", STRINGS);
        user.put("extra", MapType.create(SimpleType.STRING, STRINGS));
        Map<String, CelType> fields = texts("subResource", "requestSubResource", "name", "namespace", "operation");
        fields.putAll(Map.of("kind", kind, "requestKind", kind, "resource", resource, "requestResource", resource,
                "userInfo", types.declare("kubernetes.UserInfo", user), "dryRun", SimpleType.BOOL, "options",
                SimpleType.DYN));
        return types.declare("kubernetes.AdmissionRequest", fields);
    }

    private CelType namespace() {
        Map<String, CelType> metadata = texts("name", "generateName", "namespace", "UID", "resourceVersion");
        MapType labels = MapType.create(SimpleType.STRING, SimpleType.STRING);
        metadata.putAll(Map.of("labels", labels, "annotations", labels, "creationTimestamp", SimpleType.TIMESTAMP,
                "deletionTimestamp", SimpleType.TIMESTAMP, "deletionGracePeriodSeconds", SimpleType.INT, "generation",
                SimpleType.INT, "finalizers", STRINGS));
        Map<String, CelType> condition = texts("status", "type", "message", "reason");
        condition.put("lastTransitionTime", SimpleType.TIMESTAMP);
        Map<String, CelType> status = texts("phase");
        status.put("conditions", ListType.create(types.declare("kubernetes.NamespaceCondition", condition)));
        return types.declare("kubernetes.Namespace",
                Map.of("metadata", types.declare("kubernetes.NamespaceMetadata", metadata), "spec",
                        types.declare("kubernetes.NamespaceSpec", Map.of("finalizers", STRINGS)), "status",
                        types.declare("kubernetes.NamespaceStatus", status)));
    }

    private static Map<String, CelType> texts(String... fields) {
        Map<String, CelType> all = new LinkedHashMap<>();
        List.of(fields).forEach(field -> all.put(field, SimpleType.STRING));
        return all;
    }
}
