import DesktopBus
import Testing

@Suite struct BusAddressTests {
    @Test(arguments: [("/run/user/1000/bus", "/run/user/1000/bus"), ("/a b,c;d%/é", "/a%20b%2cc%3bd%25/%c3%a9")])
    func specialCharactersInAnAddressAreEscaped(path: String, escaped: String) {
        #expect(BusAddress.ofSocket(path) == "unix:path=" + escaped)
    }

    @Test func anAddressContainsOnlyUnescapedCharactersAndHexadecimalDigits() throws {
        let path = String(String.UnicodeScalarView((1...0x2FF).compactMap(Unicode.Scalar.init)))
        let address = BusAddress.ofSocket(path)
        var decodedBytes: [UInt8] = [], remainingBytes = Array(address.utf8).dropFirst("unix:path=".utf8.count)
        while let byte = remainingBytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                let isAllowed = Character(Unicode.Scalar(byte)).isLetter || (0x30...0x39).contains(byte)
                #expect(byte < 0x80 && (isAllowed || "/-_.".utf8.contains(byte)), "\(byte)")
                decodedBytes.append(byte)
                continue
            }
            decodedBytes.append(
                try #require(UInt8(String(decoding: remainingBytes.prefix(2), as: UTF8.self), radix: 16)))
            remainingBytes = remainingBytes.dropFirst(2)
        }
        #expect(decodedBytes == Array(path.utf8))
    }
}
