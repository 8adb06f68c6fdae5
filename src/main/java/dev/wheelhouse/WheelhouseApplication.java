package dev.wheelhouse;

public final class WheelhouseApplication {
    private WheelhouseApplication() {}

    public static void main(String[] args) {
        System.out.println(Runtime.version());
    }
}
