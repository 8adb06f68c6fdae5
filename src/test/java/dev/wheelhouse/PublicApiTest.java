package dev.wheelhouse;

import java.io.IOException;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.importer.ClassFileImporter;

import dev.wheelhouse.api.PublicApi;
import dev.wheelhouse.operator.Operator;

import static org.assertj.core.api.Assertions.assertThat;

/** The API that {@link PublicApi} promises: its signatures, and the types that they name. */
class PublicApiTest {
    /** The signatures of version 0.1. */
    private static final Path SIGNATURES = Path.of("src/test/resources/api/signatures-0.1.txt");
    private static final int MOST_TYPES = 200;
    /** Libraries whose types may be part of the API, because their own versions promise them. */
    private static final Set<String> STABLE = Set.of("java.", "io.kubernetes.client.", "io.micrometer.",
            "org.junit.jupiter.api.");

    private static final Set<String> OF_EVERY_TYPE = Set.of("equals", "hashCode", "toString", "values", "valueOf");

    private static Set<String> packages;
    private static List<Class<?>> promised;

    @BeforeAll
    static void findTypes() throws IOException {
        Path root = Path.of("target/classes");
        try (Stream<Path> files = Files.walk(root.resolve("dev/wheelhouse"))) {
            // The packages of tests have annotations of their own.
            packages = new ClassFileImporter()
                    .importPaths(files.filter(file -> file.endsWith("package-info.class")).toList()).stream()
                    .filter(info -> info.isAnnotatedWith(PublicApi.class)).map(info -> info.getPackageName())
                    .collect(Collectors.toSet());
        }
        try (Stream<Path> files = Files.walk(root.resolve("dev/wheelhouse"))) {
            promised = files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class") && !name.endsWith("package-info.class")).sorted()
                    .<Class<?>>map(name -> load(name.replace(".class", "").replace('/', '.')))
                    .filter(PublicApiTest::isPromised).toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApiTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPromised(Class<?> type) {
        PublicApi own = type.getAnnotation(PublicApi.class);
        Class<?> outer = type.getEnclosingClass();
        if (!Modifier.isPublic(type.getModifiers()) || type.isAnonymousClass()) {
            return false;
        }
        if (own != null || outer != null) {
            return own != null ? own.value() : isPromised(outer);
        }
        return packages.contains(type.getPackageName());
    }

    @Test
    void thePromiseCanBeKept() {
        assertThat(promised).hasSizeBetween(50, MOST_TYPES);
    }

    /** With {@code -Dgolden.write=true} it writes the file. */
    @Test
    void thePromisedSignaturesAreThoseOfTheFile() throws IOException {
        List<String> now = promised.stream().flatMap(type -> lines(type).stream()).distinct().sorted().toList();
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(SIGNATURES.getParent());
            Files.write(SIGNATURES, now);
        }
        Set<String> removed = new TreeSet<>(Files.readAllLines(SIGNATURES));
        Set<String> added = new TreeSet<>(now);
        removed.removeAll(now);
        added.removeAll(Files.readAllLines(SIGNATURES));
        assertThat(Stream.concat(removed.stream().map(line -> "- " + line), added.stream().map(line -> "+ " + line)))
                .as("The promised API is not the one of %s. If that is wanted, write the file again by "
                        + "\"mvn test -Dtest=PublicApiTest -Dgolden.write=true\", and tell users in CHANGELOG.md: "
                        + "a line for a new member; for one that is changed or gone, a line that begins with **Action**"
                        + " and names its successor. After 0.1 a member is @Deprecated for one minor version before it"
                        + " goes (docs/library.md, versions and compatibility).", SIGNATURES)
                .isEmpty();
    }

    @Test
    void promisedSignaturesNameOnlyTypesThatArePromised() {
        Set<String> others = new TreeSet<>();
        for (Class<?> type : promised) {
            Set<Class<?>> named = new LinkedHashSet<>();
            Stream.concat(Stream.of(type.getGenericInterfaces()), Stream.ofNullable(type.getGenericSuperclass()))
                    .forEach(each -> collect(each, named));
            Stream.of(type.getTypeParameters()).forEach(each -> collect(each, named));
            named.removeIf(each -> !Modifier.isPublic(each.getModifiers()));
            check(type.getName(), named, others);
            for (Executable member : members(type)) {
                Set<Class<?>> used = new LinkedHashSet<>();
                collect(member.getAnnotatedReturnType().getType(), used);
                Stream.of(member.getGenericParameterTypes(), member.getGenericExceptionTypes(),
                        member.getTypeParameters()).flatMap(Stream::of).forEach(each -> collect((Type) each, used));
                check(type.getName() + "." + member.getName(), used, others);
            }
            fields(type).forEach(field -> {
                Set<Class<?>> used = new LinkedHashSet<>();
                collect(field.getGenericType(), used);
                check(type.getName() + "." + field.getName(), used, others);
            });
        }
        assertThat(others).as("Promise these types by @PublicApi, or take the member out by @PublicApi(false)")
                .isEmpty();
    }

    private static void check(String member, Collection<Class<?>> used, Set<String> others) {
        used.stream().filter(type -> !type.isPrimitive() && STABLE.stream().noneMatch(type.getName()::startsWith)
                && !isPromised(type)).forEach(type -> others.add(member + " names " + type.getName()));
    }

    /** A new method breaks whoever implements its interface. */
    @Test
    void interfacesThatGetMethodsSayThatNobodyElseImplementsThem() {
        assertThat(promised.stream().filter(type -> type.isInterface() && !type.isAnnotation() && !type.isSealed()
                && !Operator.class.isAssignableFrom(type)
                && Stream.of(type.getMethods()).filter(method -> Modifier.isAbstract(method.getModifiers()))
                        .count() > 1))
                .allSatisfy(type -> assertThat(
                        Files.readString(Path.of("src/main/java", type.getName().replace('.', '/') + ".java")))
                        .containsPattern("[Dd]o not implement it"));
    }

    private static void collect(Type type, Set<Class<?>> found) {
        switch (type) {
            case Class<?> plain -> found.add(plain.isArray() ? plain.componentType() : plain);
            case ParameterizedType generic -> {
                collect(generic.getRawType(), found);
                Stream.of(generic.getActualTypeArguments()).forEach(each -> collect(each, found));
            }
            case GenericArrayType array -> collect(array.getGenericComponentType(), found);
            case WildcardType wildcard -> Stream.of(wildcard.getUpperBounds(), wildcard.getLowerBounds())
                    .flatMap(Stream::of).forEach(each -> collect(each, found));
            case TypeVariable<?> variable -> Stream.of(variable.getBounds())
                    .filter(bound -> !(bound instanceof TypeVariable) && !bound.toString().contains("<"))
                    .forEach(each -> collect(each, found));
            default -> throw new AssertionError(type);
        }
    }

    /** The public and protected constructors and methods, also those of a superclass that is not public. */
    private static List<Executable> members(Class<?> type) {
        List<Executable> members = new ArrayList<>(List.of(type.getDeclaredConstructors()));
        for (Class<?> each = type; each != null && (each == type || isHidden(each)); each = each.getSuperclass()) {
            members.addAll(List.of(each.getDeclaredMethods()));
        }
        members.removeIf(member -> member.isSynthetic() || isClosed(type, member.getModifiers())
                || isExcluded(member) || OF_EVERY_TYPE.contains(member.getName()));
        return members;
    }

    private static boolean isHidden(Class<?> type) {
        return type.getName().startsWith("dev.wheelhouse.") && !Modifier.isPublic(type.getModifiers());
    }

    private static boolean isClosed(Class<?> type, int modifiers) {
        return !Modifier.isPublic(modifiers)
                && !(Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers()));
    }

    private static boolean isExcluded(Executable member) {
        PublicApi own = member.getAnnotation(PublicApi.class);
        return own != null && !own.value();
    }

    private static List<Field> fields(Class<?> type) {
        return Stream.of(type.getDeclaredFields())
                .filter(field -> !field.isSynthetic() && !isClosed(type, field.getModifiers())).toList();
    }

    private static List<String> lines(Class<?> type) {
        String name = type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
        List<String> lines = new ArrayList<>();
        Target target = type.getAnnotation(Target.class);
        lines.add(name + " of " + type.getPackageName() + ": " + shortened(type.toGenericString())
                + (target == null ? "" : " on " + Arrays.toString(target.value()))
                + Stream.concat(Stream.ofNullable(type.getAnnotatedSuperclass()), Stream.of(
                        type.getAnnotatedInterfaces())).map(each -> each.toString())
                        .filter(each -> !each.equals("java.lang.Object"))
                        .map(each -> shortened(" < " + each)).collect(Collectors.joining()));
        members(type).forEach(member -> lines.add(name + ": " + line(member)));
        fields(type).forEach(field -> lines.add(name + ": " + shortened(field.toGenericString().replace(
                field.getDeclaringClass().getName() + ".", ""))));
        return lines;
    }

    private static String line(Executable member) {
        String modifiers = Modifier.toString(member.getModifiers()
                & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL | Modifier.ABSTRACT));
        String variables = Stream.of(member.getTypeParameters())
                .map(variable -> variable + " extends "
                        + Stream.of(variable.getAnnotatedBounds()).map(AnnotatedType::toString)
                                .collect(Collectors.joining(" & ")))
                .collect(Collectors.joining(", "));
        String parameters = Stream.of(member.getAnnotatedParameterTypes()).map(AnnotatedType::toString)
                .collect(Collectors.joining(", "));
        parameters = member.isVarArgs() ? parameters.replaceFirst("\\[\\]$", "...") : parameters;
        String thrown = Stream.of(member.getExceptionTypes()).map(each -> " throws " + each.getName())
                .collect(Collectors.joining());
        String name = member instanceof Constructor<?>
                ? member.getDeclaringClass().getSimpleName()
                : member.getAnnotatedReturnType() + " " + member.getName();
        return shortened(modifiers + (variables.isEmpty() ? " " : " <" + variables + "> ") + name + "(" + parameters
                + ")" + thrown
                + (member instanceof Method method && method.getDefaultValue() != null ? " default" : ""));
    }

    /** A text without the names of packages. */
    private static String shortened(String text) {
        return text.replaceAll("\\b(?:[a-z]\\w*\\.)+(?=[A-Z@])", "").replace("@Nullable() ", "@Nullable ")
                .replaceAll("(\\w+)\\$", "$1.");
    }
}
