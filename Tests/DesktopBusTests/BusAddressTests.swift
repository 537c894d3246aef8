import DesktopBus
import Testing

@Suite struct BusAddressTests {
    @Test(arguments: [("/run/user/1000/bus", "/run/user/1000/bus"), ("/a b,c;d%/é", "/a%20b%2cc%3bd%25/%c3%a9")])
    func specialCharactersInAnAddressAreEscaped(path: String, escaped: String) {
        #expect(BusAddress.ofSocket(path) == "unix:path=" + escaped)
    }
}
