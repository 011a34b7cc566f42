/* $generated
 *
$comment
 */
#ifndef $guard
#define $guard

#ifdef __cplusplus
extern "C" {
#endif

$prototype;

#ifdef __cplusplus
}
#endif

#endif
