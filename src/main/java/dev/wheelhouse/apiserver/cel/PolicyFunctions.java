package dev.wheelhouse.apiserver.cel;

import java.util.stream.Stream;

import static dev.wheelhouse.apiserver.cel.KubernetesLibrary.STRING;

import dev.cel.checker.CelCheckerBuilder;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerLibrary;

/**
 * The types of those functions that policies may call and {@link KubernetesLibrary} cannot evaluate: questions to the
 * authorizer, formats and versions (upstream: {@code apiserver/pkg/cel/library/authz.go}, {@code format.go},
 * {@code semverlib.go}).
 */
final class PolicyFunctions {
    static final CelType AUTHORIZER = OpaqueType.create("kubernetes.authorization.Authorizer");
    static final CelCompilerLibrary DECLARED = new Declared();

    private static final CelType TEXT = STRING.type();
    private static final CelType PATH = OpaqueType.create("kubernetes.authorization.PathCheck");
    private static final CelType GROUP = OpaqueType.create("kubernetes.authorization.GroupCheck");
    private static final CelType RESOURCE = OpaqueType.create("kubernetes.authorization.ResourceCheck");
    private static final CelType DECISION = OpaqueType.create("kubernetes.authorization.Decision");
    private static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");
    private static final CelType VERSION = OpaqueType.create("kubernetes.Semver");

    private PolicyFunctions() {}

    private static final class Declared implements CelCompilerLibrary {
        @Override
        public void setCheckerOptions(CelCheckerBuilder checker) {
            member(checker, "path", PATH, AUTHORIZER, TEXT);
            member(checker, "group", GROUP, AUTHORIZER, TEXT);
            member(checker, "serviceAccount", AUTHORIZER, AUTHORIZER, TEXT, TEXT);
            member(checker, "resource", RESOURCE, GROUP, TEXT);
            Stream.of("subresource", "namespace", "name", "fieldSelector", "labelSelector")
                    .forEach(name -> member(checker, name, RESOURCE, RESOURCE, TEXT));
            member(checker, "check", DECISION, PATH, TEXT);
            member(checker, "check", DECISION, RESOURCE, TEXT);
            Stream.of("errored", "allowed").forEach(name -> member(checker, name, SimpleType.BOOL, DECISION));
            Stream.of("error", "reason").forEach(name -> member(checker, name, TEXT, DECISION));
            Stream.of("dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
                    "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date",
                    "datetime").forEach(name -> global(checker, "format." + name, FORMAT));
            global(checker, "format.named", OptionalType.create(FORMAT), TEXT);
            member(checker, "validate", OptionalType.create(ListType.create(TEXT)), FORMAT, TEXT);
            global(checker, "semver", VERSION, TEXT);
            global(checker, "semver", VERSION, TEXT, SimpleType.BOOL);
            global(checker, "isSemver", SimpleType.BOOL, TEXT);
            global(checker, "isSemver", SimpleType.BOOL, TEXT, SimpleType.BOOL);
            Stream.of("isGreaterThan", "isLessThan")
                    .forEach(name -> member(checker, name, SimpleType.BOOL, VERSION, VERSION));
            member(checker, "compareTo", SimpleType.INT, VERSION, VERSION);
            Stream.of("major", "minor", "patch").forEach(name -> member(checker, name, SimpleType.INT, VERSION));
        }

        private static void member(CelCheckerBuilder checker, String name, CelType result, CelType... arguments) {
            checker.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name,
                    CelOverloadDecl.newMemberOverload(id(name, arguments), result, arguments)));
        }

        private static void global(CelCheckerBuilder checker, String name, CelType result, CelType... arguments) {
            checker.addFunctionDeclarations(CelFunctionDecl.newFunctionDeclaration(name,
                    CelOverloadDecl.newGlobalOverload(id(name, arguments), result, arguments)));
        }

        private static String id(String name, CelType... arguments) {
            return name + Stream.of(arguments).map(argument -> "_" + argument.name()).reduce("", String::concat);
        }
    }
}
