/// The search in short texts.
extension String {
    /// Returns whether the text contains `part`, compared byte by byte.
    ///
    /// The standard library's `contains` for strings links Swift's regular expressions, which add 1.5 MB to the
    /// compositor.
    package func includes(_ part: String) -> Bool {
        var rest = utf8[...]
        while rest.count >= part.utf8.count {
            if rest.starts(with: part.utf8) { return true }
            guard rest.popFirst() != nil else { return false }
        }
        return false
    }
}
