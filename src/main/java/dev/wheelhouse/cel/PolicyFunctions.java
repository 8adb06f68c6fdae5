package dev.wheelhouse.cel;

import java.util.stream.Stream;

import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

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
 * The types of those functions that policies may call and {@link KubernetesLibrary} cannot evaluate: formats and
 * versions (upstream: {@code apiserver/pkg/cel/library/format.go}, {@code semverlib.go}).
 */
final class PolicyFunctions {
    static final CelCompilerLibrary DECLARED = new Declared();

    private static final CelType TEXT = STRING.type();
    private static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");
    private static final CelType VERSION = OpaqueType.create("kubernetes.Semver");

    private PolicyFunctions() {}

    private static final class Declared implements CelCompilerLibrary {
        @Override
        public void setCheckerOptions(CelCheckerBuilder checker) {
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
